//! The nodes of a mesh over a grid of heights, made by fragments: neither the mesh nor its slopes cost the vertex stage
//! more than one fetch.

use crate::Result;
use crate::pug::{Buffer, Gpu, Program};

/// The mesh over a grid: how many cells a node stands for, and quads each way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mesh {
    pub stride: u32,
    pub columns: u32,
    pub rows: u32,
}

impl Mesh {
    /// Quads along the longer side: at most that many.
    pub fn over(width: u32, height: u32, most: u32) -> Mesh {
        let stride = width.max(height).div_ceil(most.max(1)).max(1);
        Mesh { stride, columns: width.div_ceil(stride), rows: height.div_ceil(stride) }
    }

    /// The same water with a vertex at every `skip`-th node alone.
    pub fn every(&self, skip: u32) -> Mesh {
        let [columns, rows] = [self.columns, self.rows].map(|nodes| nodes.div_ceil(skip));
        Mesh { stride: self.stride * skip, columns, rows }
    }

    /// Vertices of the strip: a ring of walls around it, and two that join each row to the next.
    pub fn vertices(&self) -> u32 {
        (self.rows + 2) * (2 * (self.columns + 3) + 2)
    }

    /// Half the distance of the cells that a slope is taken over: n + ½, so that they are hit in their centre.
    fn spread(&self) -> f32 {
        (self.stride.div_ceil(2) as f32) - 0.5
    }
}

/// The pass that makes nodes: four fetches each.
pub(super) struct Nodes {
    sample: Program,
    /// The nodes of the last picture, kept for the next one of such a mesh.
    nodes: Option<Buffer>,
    gpu: Gpu,
}

impl Nodes {
    pub fn new(gpu: &Gpu) -> Result<Nodes> {
        Ok(Nodes { sample: gpu.builtin("view/heights_sample.frag")?, nodes: None, gpu: gpu.clone() })
    }

    /// The nodes of the mesh: height, slopes, and 1 where they are no numbers, or −1 times how much of them is stone, which is so high.
    pub fn of(&mut self, heights: &Buffer, mesh: Mesh, stone: f32) -> Result<Buffer> {
        let (columns, rows) = (mesh.columns + 1, mesh.rows + 1);
        let fits = |nodes: &Buffer| (nodes.width(), nodes.height()) == (columns, rows);
        let nodes = match self.nodes.take().filter(fits) {
            Some(nodes) => nodes,
            None => self.gpu.buffer(columns, rows).components(4).named("nodes").build()?,
        };
        self.sample
            .bind_stream("heights", heights)?
            .bind_float("spread", mesh.spread())?
            .bind_float("stone", stone)?
            .bind_float("stride", mesh.stride as f32)?;
        self.sample.run(&nodes)?;
        self.sample.release_streams();
        self.nodes = Some(nodes.clone());
        Ok(nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::Mesh;

    #[test]
    fn a_mesh_covers_its_grid_within_its_size() {
        for (width, height) in [(1, 1), (1, 2), (31, 57), (512, 512), (513, 512), (4096, 3), (16384, 16384)] {
            for most in [1, 2, 100, 512] {
                let Mesh { stride, columns, rows } = Mesh::over(width, height, most);
                assert!((1..=most).contains(&columns) && (1..=most).contains(&rows));
                assert!(columns * stride >= width && (columns - 1) * stride < width);
                assert!(rows * stride >= height && (rows - 1) * stride < height);
            }
        }
        assert_eq!(
            [1, 2, 3, 4].map(|stride| Mesh { stride, columns: 1, rows: 1 }.spread()),
            [0.5, 0.5, 1.5, 1.5]
        );
    }
}
