"""Legal cases as a task: what the methods that judge them share."""
