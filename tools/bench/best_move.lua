-- A request of bench.sh for wrk.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"game": {}, "limit": {"depth": 1}, "fresh": true}'
