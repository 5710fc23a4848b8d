"""Cases, pairs of cases and labels from files, as others publish them."""
