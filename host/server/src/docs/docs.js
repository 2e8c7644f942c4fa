// Shows the operations of /openapi.json and sends requests.

const who = document.getElementById("who")
let root

function element(name, attributes = {}, ...children) {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
}

/** Converts text with `code` spans to nodes. */
function prose(text) {
    return text.split("`").map((part, index) => (index % 2 === 0 ? part : element("code", {}, part)))
}

function resolved(schema) {
    return schema.$ref ? root.components.schemas[schema.$ref.split("/").pop()] : schema
}

/** Formats a schema: `{fen?: string, moves?: [string]}`. */
function shape(schema, depth = 0) {
    const name = schema.$ref?.split("/").pop()
    if (name && depth > 2) return name
    const { type, properties, items, required = [], oneOf, anyOf, allOf, enum: values } = resolved(schema)
    if (values) return values.map((value) => JSON.stringify(value)).join(" | ")
    const several = oneOf ?? anyOf
    if (several) return several.map((one) => shape(one, depth)).join(" | ")
    if (allOf) return allOf.map((one) => shape(one, depth)).join(" & ")
    if (properties) {
        const indent = "  ".repeat(depth + 1)
        const lines = Object.entries(properties).map(([key, value]) => {
            const mark = required.includes(key) ? "" : "?"
            const about = value.description ?? resolved(value).description
            const comment = about ? `  // ${about.split("\n").join(" ")}` : ""
            return `${indent}${key}${mark}: ${shape(value, depth + 1)}${comment}`
        })
        return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`
    }
    if (items) return `[${shape(items, depth)}]`
    return [type ?? "any"].flat().join(" | ")
}

function table(kind, rows) {
    return element("table", { class: kind }, element("tbody", {}, ...rows.map((row) =>
        element("tr", {}, ...row.map((cell) => element("td", {}, ...cell))))))
}

function inputs(call) {
    const shown = (call.parameters ?? []).filter((parameter) => parameter.in !== "header")
    return shown.map((parameter) => {
        const { name, schema, example = "", required } = parameter
        const input = schema.enum
            ? element("select", { name }, element("option", { value: "" }, "–"),
                ...schema.enum.map((value) => element("option", { value }, value)))
            : element("input", { name, value: required ? example : "", placeholder: example })
        const about = prose(parameter.description ?? "")
        return { parameter, input, row: [[element("label", {}, element("code", {}, name), " ", input)], about] }
    })
}

function headers(call, accept) {
    const sent = {}
    const client = who.elements.client.value.trim()
    const key = who.elements.key.value.trim()
    if (client) sent["X-Client-Id"] = client
    if (key) sent.Authorization = `Bearer ${key}`
    if (call.requestBody) sent["Content-Type"] = "application/json"
    if (accept) sent.Accept = accept
    return sent
}

/** Sends a request and shows the response while it arrives. */
async function send(method, path, call, fields, body, accept, output, signal) {
    const query = new URLSearchParams()
    for (const { parameter, input } of fields) {
        if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value))
        else if (input.value) query.set(parameter.name, input.value)
    }
    const url = query.size ? `${path}?${query}` : path
    const began = performance.now()
    const status = element("p", { class: "status", role: "status" }, "Sending…")
    output.replaceChildren(status)
    const setStatus = (words, isGood) => {
        status.classList.toggle("bad", !isGood)
        status.textContent = `${words} · ${Math.round(performance.now() - began)} ms`
    }
    try {
        const response = await fetch(url, { method, headers: headers(call, accept), body: body?.value, signal })
        const type = response.headers.get("Content-Type") ?? ""
        const words = `${response.status} ${response.statusText} · ${type || "no body"}`
        setStatus(words, response.ok)
        const text = element("pre", { tabindex: "0", "aria-label": "Response" })
        let written = ""
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
            written += part.value
            text.textContent = written
            if (!text.isConnected) output.append(text)
        }
        setStatus(words, response.ok)
        if (type.endsWith("json") && !type.includes("ndjson")) text.textContent = JSON.stringify(JSON.parse(written), null, 2)
        if (type.startsWith("image/svg")) status.after(element("img", { src: url, alt: "Board" }))
    } catch (error) {
        if (signal.aborted) setStatus("Stopped", true)
        else setStatus(`Request failed: ${error.message}`, false)
    }
}

/** Returns a form whose button sends the request, or stops the running one. */
function sendingForm(method, path, call, fields, body, accept) {
    const button = element("button", { type: "submit" }, "Send")
    const output = element("div", { class: "answer" })
    let sent = null
    const form = element("form", {})
    form.addEventListener("submit", async (event) => {
        event.preventDefault()
        if (sent) return sent.abort()
        sent = new AbortController()
        button.textContent = "Stop"
        button.className = "stop"
        await send(method, path, call, fields, body, accept?.value, output, sent.signal)
        sent = null
        button.textContent = "Send"
        button.className = ""
    })
    form.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    })
    return { form, sending: [element("div", { class: "sending" }, button, ...(accept ? [accept] : [])), output] }
}

const more = (title, schema) =>
    element("details", { class: "more" }, element("summary", {}, title), element("pre", { tabindex: "0", "aria-label": title }, shape(schema)))

function shownCall(method, path, call) {
    const fields = inputs(call)
    const content = call.requestBody?.content["application/json"]
    const good = call.responses["200"]?.content ?? {}
    const types = Object.keys(good)
    const accept = types.length > 1 ? element("select", { "aria-label": "Response format" }, ...types.map((type) => element("option", {}, type))) : null
    let body
    if (content) {
        body = element("textarea", { "aria-label": "Request body", spellcheck: "false" })
        body.value = JSON.stringify(content.example, null, 2)
        body.rows = Math.min(16, body.value.split("\n").length + 1)
    }
    const { form, sending } = sendingForm(method, path, call, fields, body, accept)
    if (fields.length) form.append(element("h3", {}, "Parameters"), table("parameters", fields.map(({ row }) => row)))
    if (body) form.append(element("h3", {}, "Request body"), body, more("Request schema", content.schema))
    form.append(...sending)
    const answer = good["application/json"]
    const replies = Object.entries(call.responses).map(([status, { description }]) => [[element("code", {}, status)], prose(description)])
    return element("details", { class: "call", id: call.operationId },
        element("summary", {}, element("span", { class: `method ${method}` }, method), element("code", {}, path), element("span", { class: "about" }, call.summary)),
        element("div", { class: "inside" }, element("p", {}, ...prose(call.description)), form,
            element("h3", {}, "Responses"), table("replies", replies), ...(answer ? [more("Response schema", answer.schema)] : [])))
}

/** Opens the operation named in the URL fragment. */
function openNamed() {
    const named = document.getElementById(location.hash.slice(1))
    if (!named?.matches(".call")) return
    named.open = true
    named.scrollIntoView()
}

function show() {
    document.getElementById("version").textContent = root.info.version
    document.getElementById("about").replaceChildren(...prose(`${root.info.summary}. ${root.info.description}`))
    const calls = Object.entries(root.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, call]) => ({ path, method: method.toUpperCase(), call })))
    const groups = root.tags.map(({ name, description }) => ({ description, calls: calls.filter(({ call }) => call.tags[0] === name) }))
    document.getElementById("contents").replaceChildren(...groups.flatMap(({ description, calls }) => [
        element("h2", {}, description),
        ...calls.map(({ path, method, call }) => element("a", { href: `#${call.operationId}` }, element("span", { class: `method ${method}` }, method), path)),
    ]))
    const shown = document.getElementById("calls")
    shown.replaceChildren(...groups.map(({ description, calls }) =>
        element("section", {}, element("h2", {}, description), ...calls.map(({ path, method, call }) => shownCall(method, path, call)))))
    shown.setAttribute("aria-busy", "false")
    addEventListener("hashchange", openNamed)
    openNamed()
}

async function read() {
    try {
        const response = await fetch("/openapi.json")
        if (response.ok) return await response.json()
        throw new Error(`status ${response.status}`)
    } catch (error) {
        const words = `Could not load /openapi.json (${error.message}). Reload the page to try again.`
        document.getElementById("calls").replaceChildren(element("p", { class: "bad", role: "alert" }, words))
        return null
    }
}

root = await read()
if (root) show()
