"""Legal cases as a task: code shared by the methods that judge them."""
