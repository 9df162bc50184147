#![no_main]

quadrille_fuzz::target!("png");
