"""What people look at: tables, figures, pages and sites, drawn from votes without a model."""
