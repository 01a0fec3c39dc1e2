"""Components for other libraries."""
