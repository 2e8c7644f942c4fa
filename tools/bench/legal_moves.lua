-- The request of bench.sh for wrk.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"game": {"fen": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"}}'
