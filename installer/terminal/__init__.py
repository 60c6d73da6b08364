"""What a person types and sees: options, questions, colours, progress, and where results are shown."""
