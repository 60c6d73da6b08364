"""What must not be shown of a text: one masker for messages, logs, diffs and reports.

Three rules, and what any of them finds is masked: what a secret looks like (shapes), what a telling
name has as its value (names, named), and where commands and addresses carry passwords. Better too much
than too little: a hidden word costs a look at the file, a shown one costs the key.
"""
