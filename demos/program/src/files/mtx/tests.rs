use super::*;

fn matrix_of(text: &str) -> Result<Matrix> {
    matrix(&mut Lines::new(text.as_bytes(), LONGEST))
}

/// All entries, as (row, column, value) from 1.
fn entries_of(text: &str) -> Result<Vec<(usize, usize, f64)>> {
    let matrix = matrix_of(text)?;
    Ok(matrix.csr.triplets().map(|(row, column, value)| (row + 1, column + 1, value)).collect())
}

/// Writes the file and reads it as a matrix: the error without the folder.
fn error_of(bytes: &[u8]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.mtx");
    std::fs::write(&path, bytes)?;
    let error = read_matrix(&path).err().map(|error| error.to_string()).unwrap_or_default();
    Ok(error.replace(&format!("{}", path.display()), "a.mtx"))
}

#[test]
fn every_kind_of_coordinates_is_read() -> Result<()> {
    let real = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n2 3 -2e-1\n1 2 .5\n";
    assert_eq!(entries_of(real)?, [(1, 1, 1.5), (1, 2, 0.5), (2, 3, -0.2)]);
    let integer = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 -3\n";
    assert_eq!(entries_of(integer)?, [(1, 1, 7.0), (1, 2, -3.0), (2, 1, -3.0)]);
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n";
    assert_eq!(entries_of(pattern)?, [(1, 2, 1.0), (2, 1, 1.0), (3, 3, 1.0)]);
    let skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n";
    assert_eq!(entries_of(skew)?, [(1, 2, -3.0), (2, 1, 3.0)]);
    assert_eq!((matrix_of(skew)?.stored, matrix_of(skew)?.csr.nonzeros()), (1, 2));
    assert_eq!(matrix_of(skew)?.banner, "coordinate real skew-symmetric");
    Ok(())
}

#[test]
fn every_kind_of_array_is_read() -> Result<()> {
    let general = "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n";
    let whole = [(1, 1, 1.0), (1, 2, 3.0), (1, 3, 5.0), (2, 1, 2.0), (2, 2, 4.0), (2, 3, 6.0)];
    assert_eq!(entries_of(general)?, whole);
    let symmetric = "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n";
    assert_eq!(entries_of(symmetric)?, [(1, 1, 1.0), (1, 2, 2.0), (2, 1, 2.0), (2, 2, 3.0)]);
    let skew = "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1 2\n3\n";
    let expected = [(1, 2, -1.0), (1, 3, -2.0), (2, 1, 1.0), (2, 3, -3.0), (3, 1, 2.0), (3, 2, 3.0)];
    assert_eq!(entries_of(skew)?, expected);
    let sparse = matrix_of("%%MatrixMarket matrix array real general\n2 2\n1\n0\n-0\n2\n")?;
    assert_eq!((sparse.stored, sparse.csr.nonzeros()), (4, 3)); // -0 is kept for its sign
    Ok(())
}

#[test]
fn free_form_is_read() -> Result<()> {
    for text in [
        "%%MatrixMarket matrix coordinate real general\r\n% \r\n2 2 2\r\n1 1 1\r\n2 2 2.5\r\n",
        "%%matrixmarket MATRIX Coordinate REAL GENERAL\n\n  % x\n\t2  2\t2 \n\n 1 1 +1.\n%\n2 2 2.5",
        "%%MatrixMarket matrix coordinate real general\n%\u{e9}\u{1f642}\n2 2 2\n2 2 0.25D+01\n1 1 10d-1\n\n\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 .5\n2 2 2\n1 1 .5\n2 2 .5\n",
    ] {
        assert_eq!(entries_of(text)?, [(1, 1, 1.0), (2, 2, 2.5)], "{text}");
    }
    let latin = b"%%MatrixMarket matrix coordinate real general\n% \xe9\n1 1 1\n1 1 1\n";
    assert_eq!(matrix(&mut Lines::new(&latin[..], LONGEST))?.csr.nonzeros(), 1);
    let empty = matrix_of("%%MatrixMarket matrix coordinate real general\n3 3 0\n")?;
    assert_eq!((empty.csr.rows(), empty.csr.nonzeros()), (3, 0));
    assert_eq!(matrix_of("%%MatrixMarket matrix array real skew-symmetric\n1 1\n")?.stored, 0);
    Ok(())
}

/// Texts after `%%MatrixMarket matrix `, and the error without the name of the file.
const ERRORS: &[(&str, &str)] = &[
    ("coordinate real", "1: expected %%MatrixMarket matrix, format, field and symmetry; found 4 words: \""),
    (
        "coordinate real general x",
        "1: expected %%MatrixMarket matrix, format, field and symmetry; found 6 words",
    ),
    ("sparse real general", "1: format \"sparse\": expected coordinate or array"),
    ("coordinate double general", "1: field \"double\": expected real, integer or pattern"),
    ("coordinate real upper", "1: symmetry \"upper\": expected general, symmetric or skew-symmetric"),
    ("coordinate complex general", "1: has complex entries; only real matrices are read"),
    ("coordinate real hermitian", "1: is hermitian, so complex; only real matrices are read"),
    ("array pattern general", "1: is a pattern and an array: an array has values"),
    ("coordinate pattern skew-symmetric", "1: is a pattern and skew-symmetric: a pattern has no signs"),
    ("coordinate real general", "1: the file ends before the size"),
    ("coordinate real general\n% only\n", "2: the file ends before the size"),
    ("coordinate real general\n2 2", "2: expected the size: rows, columns and entries"),
    ("array real general\n2 2 4", "2: expected the size of an array: rows and columns"),
    ("coordinate real general\n2 2 x", "2: size: expected a whole number, found \"x\""),
    ("coordinate real general\n-2 2 1", "2: size: expected a whole number, found \"-2\""),
    ("coordinate real general\n2.0 2 1", "2: size: expected a whole number, found \"2.0\""),
    ("coordinate real general\n0 3 0", "2: a matrix of 0 x 3 has no elements"),
    ("array real general\n3 0", "2: a matrix of 3 x 0 has no elements"),
    (
        "coordinate real symmetric\n2 3 0",
        "2: a matrix of 2 x 3 is called symmetric: it would have to be square",
    ),
    (
        "array real skew-symmetric\n2 3",
        "2: a matrix of 2 x 3 is called skew-symmetric: it would have to be square",
    ),
    ("coordinate real general\n99999999999999999999 1 1", "2: size: 99999999999999999999 is too large"),
    ("array real general\n18446744073709551615 2", "2: a matrix of 18446744073709551615 x 2 is too large"),
    ("array real general\n3037000500 3037000500", "2: a matrix of 3037000500 x 3037000500 is too large"),
    (
        "array real symmetric\n3000000000 3000000000\n1\n",
        "3: the file ends after 1 of 4500000001500000000 values",
    ),
    (
        "coordinate real general\n1000000000 1000000000 7\n",
        "2: a matrix of 1000000000 x 1000000000 with 7 entries: most",
    ),
    ("coordinate real general\n1 1048577 9\n", "2: a matrix of 1 x 1048577 with 9 entries: most"),
    (
        "coordinate real general\n9 9 18446744073709551615\n1 1 1\n",
        "3: the file ends after 1 of 18446744073709551615 entries",
    ),
    (
        "coordinate real general\n18446744073709551615 9 18446744073709551615\n",
        "2: the file ends after 0 of 18446744073709551615",
    ),
    ("coordinate real general\n2 2 1\n0 1 1", "3: row 0: expected 1 to 2"),
    ("coordinate real general\n2 2 1\n1 0 1", "3: column 0: expected 1 to 2"),
    ("coordinate real general\n2 2 1\n3 1 1", "3: row 3: expected 1 to 2"),
    ("coordinate real general\n2 2 1\n1 3 1", "3: column 3: expected 1 to 2"),
    ("coordinate real general\n2 2 1\n-1 1 1", "3: row: expected a whole number, found \"-1\""),
    ("coordinate real general\n2 2 1\n1 1.5 1", "3: column: expected a whole number, found \"1.5\""),
    ("coordinate real general\n2 2 1\n1\n", "3: expected a column, found nothing"),
    ("coordinate real general\n2 2 1\n1 1\n", "3: expected row, column and value"),
    (
        "coordinate real general\n2 2 1\n1 1 2 3\n",
        "3: expected row, column and value, and not \"3\" after it",
    ),
    ("coordinate pattern general\n2 2 1\n1 1 2\n", "3: expected row and column, and not \"2\" after it"),
    ("coordinate real general\n2 2 1\n1 1 abc\n", "3: expected a number, found \"abc\""),
    ("coordinate real general\n2 2 1\n1 1 1_0\n", "3: expected a number, found \"1_0\""),
    ("coordinate real general\n2 2 1\n1 1 0x10\n", "3: expected a number, found \"0x10\""),
    ("coordinate real general\n2 2 1\n1 1 nan\n", "3: expected a finite number, found \"nan\""),
    ("coordinate real general\n2 2 1\n1 1 -Infinity\n", "3: expected a finite number, found \"-Infinity\""),
    (
        "coordinate real general\n2 2 1\n1 1 1e400\n",
        "3: the number is too large for 64 bits, found \"1e400\"",
    ),
    ("coordinate integer general\n2 2 1\n1 1 1.5\n", "3: expected an integer, found \"1.5\""),
    ("coordinate integer general\n2 2 1\n1 1 99999999999999999999\n", "3: expected an integer, found \"9999"),
    ("coordinate real general\n2 2 1\n1 1 \u{ff11}\n", "3: expected numbers, found \"1 1 \u{ff11}\""),
    ("coordinate real general\n\u{662} 2 1\n", "2: expected numbers, found \""),
    ("coordinate real general\n2 2 3\n1 1 1\n2 2 1\n", "4: the file ends after 2 of 3 entries"),
    ("coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", "4: is too long: the entries that the size announces"),
    (
        "coordinate real symmetric\n2 2 1\n1 2 1\n",
        "3: entry (1, 2) lies above the diagonal: a symmetric file holds the lower triangle",
    ),
    (
        "coordinate real skew-symmetric\n2 2 1\n1 2 1\n",
        "3: entry (1, 2) lies above the diagonal: a skew-symmetric",
    ),
    (
        "coordinate real skew-symmetric\n2 2 1\n2 2 0\n",
        "3: entry (2, 2) lies on the diagonal: a skew-symmetric",
    ),
    ("coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n", "4: the entries at (1, 1) add up to inf"),
    ("array real general\n2 2\n1\n2\n3\n", "5: the file ends after 3 of 4 values"),
    ("array real general\n1 2\n1\n2\n3\n", "5: is too long: the entries that the size announces"),
    ("array real general\n1 2\n1 2 3\n", "3: is too long: a value after the last of 2"),
    ("array real general\n1 2\n1 inf\n", "3: expected a finite number, found \"inf\""),
];

#[test]
fn each_fault_is_one_line_with_its_place() -> Result<()> {
    for (text, words) in ERRORS {
        let error = error_of(format!("%%MatrixMarket matrix {text}").as_bytes())?;
        assert!(error.starts_with(&format!("a.mtx:{words}")), "{text}: {error}");
        assert_eq!(error.lines().count(), 1, "{text}: {error}");
    }
    Ok(())
}

#[test]
fn a_file_of_another_kind_is_recognised() -> Result<()> {
    let not = "a.mtx:1: is not a Matrix Market file: ";
    assert_eq!(error_of(b"")?, format!("{not}its first line is empty"));
    assert_eq!(error_of(b"\n%%MatrixMarket matrix")?, format!("{not}its first line is empty"));
    assert_eq!(error_of(b"1 2\n3 4\n")?, format!("{not}it begins with \"1 2\""));
    assert_eq!(error_of(b"\x1f\x8b\x08\0")?, format!("{not}it looks compressed; gunzip it first"));
    assert_eq!(error_of(b"\x93NUMPY\x01\0")?, format!(r#"{not}it begins with "\x93NUMPY\x01\x00""#));
    let long = error_of(&[b'x'; 1000])?;
    assert_eq!(long, format!("{not}it begins with \"{}...{}\"", "x".repeat(106), "x".repeat(51)));
    assert_eq!(error_of(&[0; 1 << 17])?, "a.mtx:1: the line is longer than 65536 bytes");
    assert!(
        error_of(b"%%MatrixMarket vector coordinate real general")?
            .contains("object \"vector\": expected matrix")
    );
    Ok(())
}

#[test]
fn a_file_that_cannot_be_opened_is_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let error = |path: &Path| read_matrix(path).err().map(|error| error.to_string());
    let missing = folder.path().join("missing.mtx");
    assert_eq!(error(&missing), Some(format!("{}: No such file or directory", missing.display())));
    let reason = "is a directory, where a .mtx file was expected";
    assert_eq!(error(folder.path()), Some(format!("{}: {reason}", folder.path().display())));
    Ok(())
}

#[test]
fn a_written_vector_reads_back_exactly() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.mtx");
    let values = [0.1, -0.0, 1.0 / 3.0, 5e-324, f64::MAX, f64::MIN_POSITIVE, 1e22, 123_456_789.0];
    vector_draft(&path, &values)?.commit()?;
    let read = read_vector(&path, values.len(), "the test has")?;
    assert_eq!(read, values);
    assert_eq!(read_matrix(&path)?.csr.columns(), 1);
    Ok(())
}

#[test]
fn a_vector_may_be_coordinates_and_has_its_length() -> Result<()> {
    let read = |text: &str| {
        vector(&mut Lines::new(text.as_bytes(), LONGEST), 3, "A has rows").map_err(|error| error.to_string())
    };
    let sparse = "%%MatrixMarket matrix coordinate integer general\n3 1 3\n3 1 5\n1 1 -1\n3 1 1\n";
    assert_eq!(read(sparse), Ok(vec![-1.0, 0.0, 6.0]));
    assert_eq!(
        read("%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n"),
        Err("holds 4 x 1 numbers; 3 x 1 are needed, as A has rows".to_owned())
    );
    assert!(read("%%MatrixMarket matrix array real general\n1 3\n1\n2\n3\n").is_err());
    assert_eq!(
        read("%%MatrixMarket matrix coordinate real general\n3 1 2\n2 1 1e308\n2 1 1e308\n"),
        Err("the entries of row 2 add up to inf".to_owned())
    );
    Ok(())
}

/// Damages valid files at random: each is read or refused in one line, none panics.
#[test]
fn no_damage_makes_it_panic() -> Result<()> {
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let whole = [
        "%%MatrixMarket matrix coordinate real general\n% c\n3 3 4\n1 1 2.5\n2 3 -1e-3\n3 2 4\n1 3 7\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n3 2\n2 2\n",
        "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
        "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n",
    ];
    let marks = b"\0\xff%\r\n\t +-.0123456789eEdDinfNa_";
    let mut read = 0;
    for _ in 0..40_000 {
        let mut bytes = whole[random(whole.len())].as_bytes().to_vec();
        for _ in 0..=random(4) {
            let place = random(bytes.len());
            match random(5) {
                0 => bytes[place] = random(256) as u8,
                1 => bytes[place] = marks[random(marks.len())],
                2 => bytes.insert(place, marks[random(marks.len())]),
                3 if bytes.len() > 1 => drop(bytes.remove(place)),
                _ => bytes.truncate(place.max(bytes.len() / 2)),
            }
        }
        match matrix(&mut Lines::new(&bytes[..], LONGEST)) {
            Ok(matrix) => read += usize::from(matrix.csr.triplets().all(|entry| entry.2.is_finite())),
            Err(error) => assert!(!format!("{error:#}").contains('\n')),
        }
    }
    assert!(read > 400, "some damage leaves a valid file, {read}");
    Ok(())
}
