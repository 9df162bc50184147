//! Vectors of three numbers, in f64: what the camera and the picking of boxes need of them.

/// x to the right, y up, z towards the viewer.
pub(super) type Vector = [f64; 3];

/// a·b.
pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a + scale b.
pub(super) fn add(a: Vector, b: Vector, scale: f64) -> Vector {
    [a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale]
}

/// a × b.
pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a / |a|.
pub(super) fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|v| v / length)
}

/// v turned by the unit quaternion (x, y, z, w): v + 2 u × (u × v + w v) with u = (x, y, z).
pub(super) fn turned([x, y, z, w]: [f64; 4], v: Vector) -> Vector {
    let u = [x, y, z];
    add(v, cross(u, add(cross(u, v), v, w)), 2.0)
}

/// The eight corners of the box between two of them.
pub(super) fn corners(low: Vector, high: Vector) -> [Vector; 8] {
    std::array::from_fn(|i| std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] }))
}
