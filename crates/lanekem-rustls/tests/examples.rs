//! The examples talk to each other.
#![allow(missing_docs, dead_code)] // Their `main` functions.

#[path = "../examples/client.rs"]
mod client;
#[path = "../examples/server.rs"]
mod server;

use std::net::TcpListener;
use std::thread;

#[test]
fn the_client_gets_the_servers_page() {
    let (config, certificate) = server::config().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || server::serve(&listener, &config).map_err(|error| error.to_string()));
    let config = client::config(certificate).unwrap();
    for _ in 0..3 {
        let (group, page) = client::get(&config, &address).unwrap();
        assert_eq!(group, "X25519MLKEM768");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"));
        assert!(page.ends_with("<p>Key exchange: X25519MLKEM768</p>\n"));
    }
}
