"""What must not be shown of a text: one masker for messages, logs, diffs and reports.

Three rules, and what any of them finds is masked: what a secret looks like (shapes), what a telling
name has as its value (names, named), and where commands and addresses carry passwords. Better too much
than too little: a hidden word costs a look at the file, a shown one costs the key.
"""

from __future__ import annotations

from .text import MASK as MASK
from .text import READ as READ
from .text import beginning as beginning
from .text import by_line as by_line
from .text import mask as mask
from .text import masked as masked
from .text import masked_value as masked_value
from .text import merged as merged
from .text import spans as spans
