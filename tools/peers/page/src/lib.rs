//! Quadrille's side of `make bench-peers` in a page: what tools/peers/page.js times beside other libraries, by the library's public interface alone.
//!
//! The crate is empty on other targets than wasm32.
#![cfg(target_arch = "wasm32")]

use quadrille::gl::Context;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, NinePoint, Scalar, Vector};
use quadrille::matrix::Matrix;
use quadrille::sim::gray_scott::{GrayScott, Parameters};
use quadrille::{Buffer, Edges, Error, Gpu, Result};
use wasm_bindgen::prelude::*;
use web_sys::WebGl2RenderingContext;

/// The library over a canvas's context.
#[wasm_bindgen]
pub struct Quadrille {
    algebra: Algebra,
}

/// A computation that can be repeated, with its data on the GPU.
#[wasm_bindgen]
pub struct Row(Work);

enum Work {
    Axpy { a: f32, x: Vector, y: Vector },
    Sum { x: Vector, sum: Scalar },
    Product { a: Matrix, b: Matrix, c: Matrix },
    MatrixVector { a: Matrix, x: Matrix, y: Matrix },
    GrayScott(GrayScott),
    Jacobi { a: NinePoint, b: Vector, x: Vector, next: Vector },
    ReadBack { buffer: Buffer, memory: Vec<f32> },
}

#[wasm_bindgen]
impl Quadrille {
    /// Takes the canvas's context.
    ///
    /// # Errors
    /// The context lacks something that the library needs.
    #[wasm_bindgen(constructor)]
    pub fn new(context: WebGl2RenderingContext) -> std::result::Result<Quadrille, JsError> {
        let context = Context::from_webgl2(context, None)?;
        Ok(Quadrille { algebra: Algebra::new(&Gpu::of(context)) })
    }

    /// Hands a row's data to the GPU: its name, a side or a length, a factor, and one or two arrays.
    ///
    /// # Errors
    /// Those of the library; a row that is none.
    pub fn row(
        &self,
        name: &str,
        size: u32,
        factor: f32,
        first: &[f32],
        second: &[f32],
    ) -> std::result::Result<Row, JsError> {
        Ok(Row(self.work(name, size, factor, first, second)?))
    }
}

impl Quadrille {
    fn work(&self, name: &str, size: u32, factor: f32, first: &[f32], second: &[f32]) -> Result<Work> {
        let algebra = &self.algebra;
        let n = size as usize;
        let matrix = |values: &[f32]| Matrix::new(algebra, n, values.len() / n, values);
        Ok(match name {
            "axpy" => {
                let field = Packed2x2::grid(2 * size, size)?;
                let (x, y) = (algebra.vector(field, first)?, algebra.vector(field, second)?);
                Work::Axpy { a: factor, x, y }
            }
            "sum" => Work::Sum {
                x: algebra.vector(Packed2x2::folded(first.len())?, first)?,
                sum: algebra.scalar(0.0)?,
            },
            "product" => {
                Work::Product { a: matrix(first)?, b: matrix(second)?, c: Matrix::zeros(algebra, n, n)? }
            }
            "matrix-vector" => {
                Work::MatrixVector { a: matrix(first)?, x: matrix(second)?, y: Matrix::zeros(algebra, n, 1)? }
            }
            "gray-scott" => Work::GrayScott(GrayScott::from_state(
                algebra.gpu(),
                size,
                size,
                Parameters::default(),
                Edges::Repeat,
                first,
            )?),
            "jacobi" => {
                let grid = Packed2x2::grid(size, size)?;
                let entries = [0.0, -1.0, 0.0, -1.0, factor, -1.0, 0.0, -1.0, 0.0];
                Work::Jacobi {
                    a: NinePoint::uniform(algebra, grid, entries)?,
                    b: algebra.vector(grid, first)?,
                    x: algebra.vector(grid, second)?,
                    next: algebra.zeros(grid)?,
                }
            }
            "read-back" => Work::ReadBack {
                buffer: algebra.gpu().buffer(size, size).components(4).init(first)?,
                memory: Vec::new(),
            },
            _ => {
                let expected = "a row of tools/peers/page.js".to_owned();
                return Err(Error::BadParameter { name: "row", found: name.to_owned(), expected });
            }
        })
    }
}

#[wasm_bindgen]
impl Row {
    /// Computes it so many times, each from what the time before left where it has a state.
    ///
    /// # Errors
    /// Those of the library.
    pub fn run(&mut self, times: u32) -> std::result::Result<(), JsError> {
        for _ in 0..times {
            self.0.once()?;
        }
        Ok(())
    }

    /// The result of a step.
    ///
    /// # Errors
    /// Those of reading it back.
    pub fn result(&self) -> std::result::Result<Vec<f32>, JsError> {
        Ok(match &self.0 {
            Work::Axpy { y, .. } => y.get()?,
            Work::Sum { sum, .. } => vec![sum.get()?],
            Work::Product { c, .. } => c.get()?,
            Work::MatrixVector { y, .. } => y.get()?,
            Work::GrayScott(cells) => cells.state().data()?,
            Work::Jacobi { x, .. } => x.get()?,
            Work::ReadBack { memory, .. } => memory.clone(),
        })
    }
}

impl Work {
    fn once(&mut self) -> Result<()> {
        match self {
            Work::Axpy { a, x, y } => y.axpy(*a, x),
            Work::Sum { x, sum } => x.sum(sum),
            Work::Product { a, b, c } => c.multiply(a, b),
            Work::MatrixVector { a, x, y } => y.multiply(a, x),
            Work::GrayScott(cells) => cells.step(),
            Work::Jacobi { a, b, x, next } => {
                a.relax(1.0, x, b, next)?;
                std::mem::swap(x, next);
                Ok(())
            }
            Work::ReadBack { buffer, memory } => buffer.data_into(memory),
        }
    }
}
