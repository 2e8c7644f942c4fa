// Shows the operations of /openapi.json and sends requests.

const clientForm = document.getElementById("who")
let root

function element(name, attributes = {}, ...children) {
    const node = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
    node.append(...children)
    return node
}

/** Converts text with `code` spans to nodes. */
function inlineCode(text) {
    return text.split("`").map((part, index) => (index % 2 === 0 ? part : element("code", {}, part)))
}

function resolveRef(schema) {
    return schema.$ref ? root.components.schemas[schema.$ref.split("/").pop()] : schema
}

/** Formats a schema, for example as `{fen?: string, moves?: [string]}`. */
function formatSchema(schema, depth = 0) {
    const name = schema.$ref?.split("/").pop()
    if (name && depth > 2) return name
    const { type, properties, items, required = [], oneOf, anyOf, allOf, enum: values } = resolveRef(schema)
    if (values) return values.map((value) => JSON.stringify(value)).join(" | ")
    const several = oneOf ?? anyOf
    if (several) return several.map((one) => formatSchema(one, depth)).join(" | ")
    if (allOf) return allOf.map((one) => formatSchema(one, depth)).join(" & ")
    if (properties) {
        const indent = "  ".repeat(depth + 1)
        const lines = Object.entries(properties).map(([key, value]) => {
            const mark = required.includes(key) ? "" : "?"
            const about = value.description ?? resolveRef(value).description
            const comment = about ? `  // ${about.split("\n").join(" ")}` : ""
            return `${indent}${key}${mark}: ${formatSchema(value, depth + 1)}${comment}`
        })
        return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`
    }
    if (items) return `[${formatSchema(items, depth)}]`
    return [type ?? "any"].flat().join(" | ")
}

function table(kind, rows) {
    return element("table", { class: kind }, element("tbody", {}, ...rows.map((row) =>
        element("tr", {}, ...row.map((cell) => element("td", {}, ...cell))))))
}

function parameterInputs(operation) {
    const shown = (operation.parameters ?? []).filter((parameter) => parameter.in !== "header")
    return shown.map((parameter) => {
        const { name, schema, example = "", required } = parameter
        const input = schema.enum
            ? element("select", { name }, element("option", { value: "" }, "–"),
                ...schema.enum.map((value) => element("option", { value }, value)))
            : element("input", { name, value: required ? example : "", placeholder: example })
        const about = inlineCode(parameter.description ?? "")
        return { parameter, input, row: [[element("label", {}, element("code", {}, name), " ", input)], about] }
    })
}

function requestHeaders(operation, accept) {
    const headers = {}
    const client = clientForm.elements.client.value.trim()
    const key = clientForm.elements.key.value.trim()
    if (client) headers["X-Client-Id"] = client
    if (key) headers.Authorization = `Bearer ${key}`
    if (operation.requestBody) headers["Content-Type"] = "application/json"
    if (accept) headers.Accept = accept
    return headers
}

/** Sends a request and shows the response while it arrives. */
async function send(method, path, operation, fields, body, accept, output, signal) {
    const query = new URLSearchParams()
    for (const { parameter, input } of fields) {
        if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value))
        else if (input.value) query.set(parameter.name, input.value)
    }
    const url = query.size ? `${path}?${query}` : path
    const startedAt = performance.now()
    const status = element("p", { class: "status", role: "status" }, "Sending…")
    output.replaceChildren(status)
    const setStatus = (text, isGood) => {
        status.classList.toggle("bad", !isGood)
        status.textContent = `${text} · ${Math.round(performance.now() - startedAt)} ms`
    }
    try {
        const response = await fetch(url, { method, headers: requestHeaders(operation, accept), body: body?.value, signal })
        const type = response.headers.get("Content-Type") ?? ""
        const text = `${response.status} ${response.statusText} · ${type || "no body"}`
        setStatus(text, response.ok)
        const pre = element("pre", { tabindex: "0", "aria-label": "Response" })
        let received = ""
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
            received += part.value
            pre.textContent = received
            if (!pre.isConnected) output.append(pre)
        }
        setStatus(text, response.ok)
        if (type.endsWith("json") && !type.includes("ndjson")) pre.textContent = JSON.stringify(JSON.parse(received), null, 2)
        if (type.startsWith("image/svg")) status.after(element("img", { src: url, alt: "Board" }))
    } catch (error) {
        if (signal.aborted) setStatus("Stopped", true)
        else setStatus(`Request failed: ${error.message}`, false)
    }
}

/** Returns a form whose button sends the request, or stops the running one. */
function requestForm(method, path, operation, fields, body, accept) {
    const button = element("button", { type: "submit" }, "Send")
    const output = element("div", { class: "answer" })
    let controller = null
    const form = element("form", {})
    form.addEventListener("submit", async (event) => {
        event.preventDefault()
        if (controller) return controller.abort()
        controller = new AbortController()
        button.textContent = "Stop"
        button.className = "stop"
        await send(method, path, operation, fields, body, accept?.value, output, controller.signal)
        controller = null
        button.textContent = "Send"
        button.className = ""
    })
    form.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    })
    return { form, controls: [element("div", { class: "sending" }, button, ...(accept ? [accept] : [])), output] }
}

const schemaDetails = (title, schema) =>
    element("details", { class: "more" }, element("summary", {}, title), element("pre", { tabindex: "0", "aria-label": title }, formatSchema(schema)))

function renderOperation(method, path, operation) {
    const fields = parameterInputs(operation)
    const requestContent = operation.requestBody?.content["application/json"]
    const responseContent = operation.responses["200"]?.content ?? {}
    const types = Object.keys(responseContent)
    const accept = types.length > 1 ? element("select", { "aria-label": "Response format" }, ...types.map((type) => element("option", {}, type))) : null
    let body
    if (requestContent) {
        body = element("textarea", { "aria-label": "Request body", spellcheck: "false" })
        body.value = JSON.stringify(requestContent.example, null, 2)
        body.rows = Math.min(16, body.value.split("\n").length + 1)
    }
    const { form, controls } = requestForm(method, path, operation, fields, body, accept)
    if (fields.length) form.append(element("h3", {}, "Parameters"), table("parameters", fields.map(({ row }) => row)))
    if (body) form.append(element("h3", {}, "Request body"), body, schemaDetails("Request schema", requestContent.schema))
    form.append(...controls)
    const jsonContent = responseContent["application/json"]
    const responses = Object.entries(operation.responses).map(([status, { description }]) => [[element("code", {}, status)], inlineCode(description)])
    return element("details", { class: "call", id: operation.operationId },
        element("summary", {}, element("span", { class: `method ${method}` }, method), element("code", {}, path), element("span", { class: "about" }, operation.summary)),
        element("div", { class: "inside" }, element("p", {}, ...inlineCode(operation.description)), form,
            element("h3", {}, "Responses"), table("replies", responses), ...(jsonContent ? [schemaDetails("Response schema", jsonContent.schema)] : [])))
}

/** Opens the operation named in the URL fragment. */
function openLinked() {
    const target = document.getElementById(location.hash.slice(1))
    if (!target?.matches(".call")) return
    target.open = true
    target.scrollIntoView()
}

function render() {
    document.getElementById("version").textContent = root.info.version
    document.getElementById("about").replaceChildren(...inlineCode(`${root.info.summary}. ${root.info.description}`))
    const operations = Object.entries(root.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })))
    const groups = root.tags.map(({ name, description }) => ({ description, operations: operations.filter(({ operation }) => operation.tags[0] === name) }))
    document.getElementById("contents").replaceChildren(...groups.flatMap(({ description, operations }) => [
        element("h2", {}, description),
        ...operations.map(({ path, method, operation }) => element("a", { href: `#${operation.operationId}` }, element("span", { class: `method ${method}` }, method), path)),
    ]))
    const container = document.getElementById("calls")
    container.replaceChildren(...groups.map(({ description, operations }) =>
        element("section", {}, element("h2", {}, description), ...operations.map(({ path, method, operation }) => renderOperation(method, path, operation)))))
    container.setAttribute("aria-busy", "false")
    addEventListener("hashchange", openLinked)
    openLinked()
}

async function loadDescription() {
    try {
        const response = await fetch("/openapi.json")
        if (response.ok) return await response.json()
        throw new Error(`status ${response.status}`)
    } catch (error) {
        const text = `Could not load /openapi.json (${error.message}). Reload the page to try again.`
        document.getElementById("calls").replaceChildren(element("p", { class: "bad", role: "alert" }, text))
        return null
    }
}

root = await loadDescription()
if (root) render()
