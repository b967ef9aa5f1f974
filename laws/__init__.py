"""What the law says: each municipality's norms as data, and the loader that refuses what it does not understand."""
