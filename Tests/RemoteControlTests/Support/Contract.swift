import Platform
import Testing

@testable import RemoteControl

/// The contract in openapi.yaml. The tests validate every response and every event against its schemas.
struct Contract: Sendable {
    static let directory = #filePath.split(separator: "/Tests/RemoteControlTests/").first.map(String.init) ?? ""
    static let text: [UInt8] = (try? StaticFiles(directory: directory))?.file("/openapi.yaml")?.bytes ?? []
    /// The JSON form, which script/embed has made.
    static let json: [UInt8] = (try? StaticFiles(directory: directory))?.file("/Sources/C/CRemoteAssets/bundle/openapi.json")?.bytes ?? []
    static let shared = Contract()

    struct Operation: Sendable {
        var method: String
        var path: String
        var value: JSONValue
        var id: String { value["operationId"]?.text ?? "" }
    }

    let document: JSONValue
    let loadError: String?
    let operations: [Operation]
    /// The schemas of the data of events, by the name of the event.
    let events: JSONValue?
    /// The schemas of the messages of the WebSocket, by their kind: a command, a result, a problem, or the name of an event.
    let messages: JSONValue?

    init() {
        do {
            document = try YAML.parse(String(decoding: Self.text, as: UTF8.self))
            loadError = nil
        } catch {
            document = .null
            loadError = "\(error)"
        }
        operations = Self.operations(document)
        events = operations.first { $0.id == "getEvents" }?.value["x-events"]
        messages = operations.first { $0.id == "getSocket" }?.value["x-messages"]
    }

    static let methods = ["get", "put", "post", "patch", "delete"]

    private static func operations(_ document: JSONValue) -> [Operation] {
        guard let paths = document["paths"] else { return [] }
        return paths.names.flatMap { path in
            methods.compactMap { method in paths[path]?[method].map { Operation(method: method.uppercased(), path: path, value: $0) } }
        }
    }

    /// Returns the operation with this method and path; nil if the contract has none.
    func operation(_ method: String, _ path: String) -> Operation? {
        let wanted = method == "HEAD" ? "GET" : method
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        return operations.first { operation in
            let template = operation.path.split(separator: "/", omittingEmptySubsequences: false)
            return operation.method == wanted && template.count == given.count && zip(template, given).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
    }

    /// Returns the value to which the member `$ref` of `value` refers; `value` itself if it has no such member.
    func resolved(_ value: JSONValue?) -> JSONValue? {
        guard let reference = value?["$ref"]?.text else { return value }
        var target: JSONValue? = document
        for step in reference.split(separator: "/").dropFirst() { target = target?[String(step)] }
        return resolved(target)
    }

    func schema(_ name: String) -> JSONValue? { document["components"]?["schemas"]?[name] }

    // MARK: Validation

    /// Records each difference between a response and the contract as a failure of the test.
    func check(_ reply: Reply, method: String, path: String, sourceLocation: SourceLocation) {
        // The contract describes no response to `OPTIONS`, to an unknown path, or to an unknown method (405), so these responses are not checked.
        guard method != "OPTIONS", let operation = operation(method, path), reply.status != 405 else { return }
        guard let response = resolved(operation.value["responses"]?[String(reply.status)]) else {
            Issue.record("\(operation.id) does not document the status \(reply.status): \(reply.text)", sourceLocation: sourceLocation)
            return
        }
        guard let content = response["content"] else {
            if !reply.body.isEmpty {
                Issue.record("\(operation.id) \(reply.status) has a body that is not documented", sourceLocation: sourceLocation)
            }
            return
        }
        let type = reply.header("Content-Type")?.split(separator: ";").first.map(String.init) ?? ""
        guard let media = content[type] else {
            Issue.record("\(operation.id) \(reply.status) does not document the type \(type)", sourceLocation: sourceLocation)
            return
        }
        guard type.hasSuffix("json") else { return }
        guard let value = reply.json else {
            Issue.record("\(operation.id) \(reply.status) is not JSON: \(reply.text)", sourceLocation: sourceLocation)
            return
        }
        for error in errors(value, media["schema"], at: "") {
            Issue.record("\(operation.id) \(reply.status)\(error): \(reply.text)", sourceLocation: sourceLocation)
        }
    }

    func checkEvent(_ name: String, _ data: JSONValue) {
        guard let schema = events?[name] else {
            Issue.record("the event \(name) is not documented")
            return
        }
        for error in errors(data, schema, at: "") { Issue.record("event \(name)\(error)") }
    }

    /// Records each difference between a WebSocket message and the contract as a failure of the test.
    func checkMessage(_ message: JSONValue) {
        let kind = message["event"]?.text ?? (message["result"] != nil ? "result" : message["problem"] != nil ? "problem" : "command")
        guard let schema = messages?[kind]?["schema"] else {
            Issue.record("the message \(kind) is not documented")
            return
        }
        for error in errors(message, schema, at: "") { Issue.record("message \(kind)\(error)") }
    }

    /// Returns the differences between `value` and a schema, as text. The check is stricter than JSON Schema in one point: a member that the schema
    /// does not name is an error.
    func errors(_ value: JSONValue, _ schema: JSONValue?, at place: String) -> [String] {
        guard let schema = resolved(schema) else { return ["\(place): there is no schema"] }
        let parts = [schema] + (schema["allOf"]?.elements.compactMap(resolved) ?? [])
        var errors: [String] = []
        let known = parts.flatMap { $0["properties"]?.names ?? [] }
        let isOpen = schema["additionalProperties"]?.bool == true
        for name in value.names where !known.contains(name) && !isOpen { errors.append("\(place)/\(name) is not documented") }
        for part in parts { errors += self.errors(value, part: part, at: place) }
        return errors
    }

    private func errors(_ value: JSONValue, part schema: JSONValue, at place: String) -> [String] {
        var errors: [String] = []
        switch (schema["type"]?.text, value) {
        case (nil, _), ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("number", .number): break
        case ("integer", .number(let number)) where number.integer != nil: break
        default: errors.append("\(place) is \(value.kindName), not \(schema["type"]?.text ?? "")")
        }
        for name in schema["required"]?.elements.compactMap(\.text) ?? [] where value[name] == nil { errors.append("\(place)/\(name) is missing") }
        for name in value.names {
            if let property = schema["properties"]?[name], let member = value[name] {
                errors += self.errors(member, property, at: place + "/" + name)
            }
        }
        for (index, element) in value.elements.enumerated() { errors += self.errors(element, schema["items"], at: "\(place)/\(index)") }
        if let choices = schema["enum"]?.elements, !choices.contains(value) { errors.append("\(place) is none of the enum's values") }
        if let number = value.double {
            if let minimum = schema["minimum"]?.double, number < minimum { errors.append("\(place) is less than \(minimum)") }
            if let maximum = schema["maximum"]?.double, number > maximum { errors.append("\(place) is more than \(maximum)") }
            if let low = schema["not"]?["minimum"]?.double, let high = schema["not"]?["maximum"]?.double, low <= number, number <= high {
                errors.append("\(place) is between \(low) and \(high)")
            }
        }
        if let text = value.text {
            if let minimum = schema["minLength"]?.double, text.unicodeScalars.count < Int(minimum) { errors.append("\(place) is too short") }
            if let maximum = schema["maxLength"]?.double, text.unicodeScalars.count > Int(maximum) { errors.append("\(place) is too long") }
            if schema["format"]?.text == "date-time", RFC3339.seconds(text) == nil { errors.append("\(place) is not a date-time") }
        }
        return errors
    }
}
