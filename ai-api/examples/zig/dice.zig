//! An AI in Zig that picks a move by the position's hash.
const c = @import("c.zig");
var self: u8 = 0;
var pv: c.rookery_move = 0;
const Host = ?*const c.rookery_host;
const Settings = ?*const c.rookery_setting;
const Error = ?*c.rookery_error;
fn manifest(_: Host, _: Settings, _: usize, to: ?*c.rookery_manifest, _: Error) callconv(.c) i32 {
    to.?.name = "Dice in Zig";
    to.?.version = "1.0";
    return c.ROOKERY_OK;
}
fn create(_: Host, _: Settings, _: usize, ai: ?*?*anyopaque, _: Error) callconv(.c) i32 {
    ai.?.* = &self;
    return c.ROOKERY_OK;
}
fn destroy(_: ?*anyopaque) callconv(.c) void {}
fn search(_: ?*anyopaque, request: ?*const c.rookery_search_request, host: Host, result: ?*c.rookery_search_result, _: Error) callconv(.c) i32 {
    var list: c.rookery_move_list = undefined;
    const position: *const c.rookery_position = request.?.position;
    host.?.rules.*.legal_moves.?(position, &list);
    pv = list.moves[position.hash % list.count];
    result.?.best_move = pv;
    result.?.pv = &pv;
    result.?.pv_length = 1;
    return c.ROOKERY_OK;
}
export const rookery_ai_entry = c.rookery_ai{ .size = @sizeOf(c.rookery_ai), .abi = c.ROOKERY_ABI, .manifest = manifest,
    .create = create, .destroy = destroy, .search = search };
