// Shows the document of the calls, and makes them.

const root = await fetch("/openapi.json").then((response) => response.json())
const who = document.getElementById("who")

function element(name, attributes = {}, ...children) {
    const made = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
    made.append(...children)
    return made
}

function resolved(schema) {
    return schema.$ref ? root.components.schemas[schema.$ref.split("/").pop()] : schema
}

/** A schema as people read it: `{fen?: string, moves?: [string]}`. */
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
    return [type ?? "anything"].flat().join(" | ")
}

function table(rows) {
    return element("table", {}, element("tbody", {}, ...rows.map((row) =>
        element("tr", {}, ...row.map((cell) => element("td", {}, cell))))))
}

function inputs(call) {
    const shown = (call.parameters ?? []).filter((parameter) => parameter.in !== "header")
    return shown.map((parameter) => {
        const { name, schema, example = "", required } = parameter
        const input = schema.enum
            ? element("select", { name }, element("option", { value: "" }, "–"),
                ...schema.enum.map((value) => element("option", { value }, value)))
            : element("input", { name, value: required ? example : "", placeholder: example })
        return { parameter, input, row: [element("label", {}, element("code", {}, name), " ", input), parameter.description ?? ""] }
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

async function send(method, path, call, fields, body, accept, output) {
    const query = new URLSearchParams()
    for (const { parameter, input } of fields) {
        if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value))
        else if (input.value) query.set(parameter.name, input.value)
    }
    const url = query.size ? `${path}?${query}` : path
    const began = performance.now()
    output.replaceChildren("…")
    try {
        const response = await fetch(url, { method, headers: headers(call, accept), body: body?.value })
        const type = response.headers.get("Content-Type") ?? ""
        const told = element("p", { class: response.ok ? "told" : "told bad" })
        const text = element("pre", { tabindex: "0" })
        output.replaceChildren(told, text)
        let written = ""
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
            written += part.value
            text.textContent = written
        }
        const time = Math.round(performance.now() - began)
        told.textContent = `${response.status} ${response.statusText} · ${type || "no body"} · ${time} ms`
        if (type.endsWith("json") && !type.includes("ndjson")) text.textContent = JSON.stringify(JSON.parse(written), null, 2)
        if (type.startsWith("image/svg")) output.append(element("img", { src: url, alt: "The board" }))
    } catch (error) {
        output.replaceChildren(element("p", { class: "told bad" }, `The server did not answer: ${error.message}`))
    }
}

function shownCall(method, path, call) {
    const fields = inputs(call)
    const content = call.requestBody?.content["application/json"]
    const output = element("output", { "aria-live": "polite" })
    const form = element("form")
    let body
    if (fields.length) form.append(element("h3", {}, "Parameters"), table(fields.map(({ row }) => row)))
    if (content) {
        body = element("textarea", { "aria-label": "The body", spellcheck: "false" })
        body.value = JSON.stringify(content.example, null, 2)
        const schema = element("details", {}, element("summary", {}, "What it takes"), element("pre", { tabindex: "0" }, shape(content.schema)))
        form.append(element("h3", {}, "Body"), body, schema)
    }
    const good = call.responses["200"]
    const types = Object.keys(good.content)
    const accept = types.length > 1 ? element("select", { "aria-label": "The form of the answer" }, ...types.map((type) => element("option", {}, type))) : null
    form.append(element("div", {}, element("button", { type: "submit" }, "Send"), " ", accept ?? ""), output)
    form.addEventListener("submit", (event) => {
        event.preventDefault()
        send(method, path, call, fields, body, accept?.value, output)
    })
    const answer = good.content["application/json"]
    const replies = Object.entries(call.responses).map(([status, { description }]) => [element("code", {}, status), description])
    return element("details", { class: "call", id: call.operationId },
        element("summary", {}, element("span", { class: `method ${method}` }, method), element("code", {}, path), element("span", {}, call.summary)),
        element("p", {}, call.description), form,
        element("h3", {}, "Answers"), table(replies),
        ...(answer ? [element("details", {}, element("summary", {}, "What it answers"), element("pre", { tabindex: "0" }, shape(answer.schema)))] : []))
}

function show() {
    document.getElementById("version").textContent = root.info.version
    document.getElementById("about").textContent = `${root.info.summary}. ${root.info.description}`.replaceAll("`", "")
    const groups = new Map()
    for (const [path, item] of Object.entries(root.paths)) {
        for (const [method, call] of Object.entries(item)) {
            const [tag] = call.tags
            groups.set(tag, [...(groups.get(tag) ?? []), shownCall(method.toUpperCase(), path, call)])
        }
    }
    const sections = root.tags.map(({ name, description }) =>
        element("section", {}, element("h2", {}, description), ...(groups.get(name) ?? [])))
    document.getElementById("calls").replaceChildren(...sections)
    document.getElementById(location.hash.slice(1))?.setAttribute("open", "")
}

show()
