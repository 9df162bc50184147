//! `quadrille bench chapter44`: the chapter's own table, products of each kind of matrix, conjugate gradients.

pub mod gradients;
pub mod problem;
mod products;
pub mod table;
mod wave;

use super::row::Row;
use super::row::Rows;

pub fn all() -> Rows {
    sized(1)
}

/// All rows, each side of a grid divided by so much: tests need not be large.
pub fn sized(divisor: u32) -> Rows {
    let each = |row: Row| vec![row];
    // A matrix of a million rows takes memory: one at a time, but for the table, whose rows are compared.
    let products = products::rows(divisor).into_iter().map(each);
    let gradients = gradients::rows(divisor);
    let table = [table::sums(divisor), table::operations(divisor), wave::rows(divisor)];
    table.into_iter().chain(products).chain(gradients).collect()
}
