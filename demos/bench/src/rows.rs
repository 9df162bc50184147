//! The names of the rows of each suite, for its --help: a test compares them with the rows.

pub const PASSES: &str = "Rows, by which --only chooses:\n\
\x20 axpy; sum; sum by adjacent 2x2; sum by far 2x2; sum by far 4x4; sum by far 8x8;\n\
\x20 smallest pass; smallest pass, submission alone;\n\
\x20 smallest pass, recorded, submission alone; Gray-Scott; intensity 0; intensity 1;\n\
\x20 intensity 2; intensity 4; intensity 8; intensity 16; intensity 32; intensity 64;\n\
\x20 intensity 128; intensity 256; feedback by render to texture; feedback by copy to texture;\n\
\x20 upload; read-back; start";

pub const CHAPTER44: &str = "Rows, by which --only chooses:\n\
\x20 vector reduce; vector-vector op; wave demo; wave step; wave picture; wave picture, a clear;\n\
\x20 banded product, 5 diagonals;\n\
\x20 stencil product, 5 points; points product, 5 diagonals; points product, 8 anywhere in a row;\n\
\x20 dense product; CG iteration, plain; CG iteration, fused; CG iteration, double-single;\n\
\x20 Poisson to 1e-5, CG; Poisson to 1e-5, CG with chebyshev of 8;\n\
\x20 Poisson to 1e-5, CG with chebyshev of 12; Poisson to 1e-5, CG with chebyshev of 16";

pub const DENSE: &str = "Rows, by which --only chooses:\n\
\x20 copy; copy, read back; add; add, read back; add by blending; add by blending, read back;\n\
\x20 multiply; multiply, read back; transposed multiply; transposed multiply, read back;\n\
\x20 CG iteration; projected Jacobi sweep; multiply, 1 target; multiply, 2 targets;\n\
\x20 multiply, 4 targets; multiply, 8 targets; wall, groups; wall, one dense system";

pub const SPARSE: &str = "Rows, by which --only chooses:\n\
\x20 five points, banded; five points, gather; five points, points; 8 diagonals, banded;\n\
\x20 8 diagonals, gather; 8 diagonals, gather, x packed; 8 diagonals, points; 8 anywhere, gather;\n\
\x20 8 anywhere, gather, x packed; 8 anywhere, segments and row starts; 8 anywhere, points;\n\
\x20 power law, gather; power law, points;\n\
\x20 power law, dense; mesh, gather; mesh, segments and row starts; mesh, points; mesh, CG loop;\n\
\x20 uneven mesh, gather; uneven mesh, segments and row starts; uneven mesh, points; uneven mesh, CG loop; vector sum; nine diagonals;\n\
\x20 smoothing, a step; smoothing, its system; rectangle without fetches; rectangle of seven entries a row;\n\
\x20 rectangles of a power law; voxel product, its diagonal alone; voxel product, four textures;\n\
\x20 voxel product, seven textures; voxel product, seven in one texture;\n\
\x20 voxel product, seven textures of half floats;\n\
\x20 voxel product, seven textures, the paper's layout;\n\
\x20 voxel product, the paper's layout, offsets passed in;\n\
\x20 voxel product, the paper's layout, a modulus by multiplying;\n\
\x20 voxel product, the paper's layout, division and modulus; pressure, diagonal, fused;\n\
\x20 pressure, diagonal, fused, from the last pressure; pressure, multigrid;\n\
\x20 pressure, multigrid, one sweep; pressure, multigrid, from the last pressure;\n\
\x20 pressure, diagonal, scalars on the GPU; pressure, diagonal, scalars on the CPU, far 8x8 sums;\n\
\x20 pressure, the same, sums end at 16 texels; pressure, the same, far 2x2 sums;\n\
\x20 pressure, the same, adjacent 2x2 sums: the paper;\n\
\x20 pressure, the paper, finishing each operation; pressure, diagonal, one CPU thread;\n\
\x20 pressure, incomplete Cholesky, one CPU thread; 51 pressures in a row, diagonal, fused;\n\
\x20 51 pressures in a row, multigrid; 51 pressures in a row, the paper's way;\n\
\x20 51 pressures in a row, diagonal, one CPU thread;\n\
\x20 51 pressures in a row, incomplete Cholesky, one CPU thread; the paper's table: setup;\n\
\x20 the paper's table: read-back of the pressure; the paper's table: matrix-vector multiply;\n\
\x20 the paper's table: dot product; the paper's table: scale-add;\n\
\x20 the paper's table: vector precondition; the paper's table: all of it;\n\
\x20 read-back of a dot product, behind its work; read-back of a dot product, after a finish;\n\
\x20 skewed addresses, where they break down";

pub const STREAMS: &str = "Rows, by which --only chooses:\n\
\x20 heavy branch by arithmetic; heavy branch by z-cull; heavy branch by stencil-cull;\n\
\x20 heavy branch by z-cull, mask drawn each time; light branch by arithmetic; loop, early exit;\n\
\x20 until none, every sweep; until none, every 10; until none, every 10, 2 in flight;\n\
\x20 until none, discarding what rests; interior and edges by kernels of their own;\n\
\x20 isoline by subdivision, 2 trips a texel; isoline by subdivision, 256 trips a texel;\n\
\x20 heat by branch; heat by arithmetic; heat by ranges; heat by depth; heat by stencil;\n\
\x20 heat by masks; heat by combined; N-body by loops; N-body by matrix; histogram by points;\n\
\x20 histogram by gather; prefix sum; sort; sort of pairs";

pub const FLUIDS: &str = "Rows, by which --only chooses:\n\
\x20 nine points, packed; nine points, in quadrants; prolongation; restriction; layering;\n\
\x20 un-layering; V(2,2) of 513x513 nodes; smallest pass; V(4,2) of 513x513 nodes;\n\
\x20 V(2,2) of 1025x1025 nodes; V(4,2) of 1025x1025 nodes;\n\
\x20 inverse on the coarsest level, V(2,2); Poisson by V(2,2)-cycles; Poisson by CG;\n\
\x20 Poisson by CG with V(2,2); fluid step, collocated; fluid step, staggered;\n\
\x20 fluid step, 1048576 particles";

pub const PDE: &str = "Rows, by which --only chooses:\n\
\x20 Gray-Scott from its file; Gray-Scott by sbdf2; Cahn-Hilliard by steps of 10";
