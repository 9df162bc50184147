#![no_main]

quadrille_fuzz::target!("kernel");
