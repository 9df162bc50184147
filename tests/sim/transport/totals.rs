//! Totals.
