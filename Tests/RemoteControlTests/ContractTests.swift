import AVFoundation
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Checks that the code has everything that openapi.yaml describes, and that openapi.yaml describes everything that the code has.
@MainActor @Suite struct ContractTests {
    private let contract = Contract.shared

    @Test("the contract can be parsed")
    func readable() {
        #expect(contract.loadError == nil)
        #expect(contract.document["openapi"]?.text == "3.1.0")
    }

    @Test("openapi.json, which the program embeds, has the content of openapi.yaml")
    func json() throws { #expect(try JSONParser.parse(Contract.json) == contract.document, "run script/embed") }

    @Test("the contract describes exactly the table of routes, each with its operationId")
    func routes() throws {
        let routes = try TestRig().api.routes.map { "\($0.method) \($0.template) \($0.operationID)" }
        let operations = contract.operations.map { "\($0.method) \($0.path) \($0.id)" }
        #expect(Set(routes) == Set(operations))
        #expect(Set(routes).count == routes.count)
        #expect(Set(contract.operations.map(\.id)).count == operations.count)
    }

    @Test("the query parameters, path variables and bodies of the contract match the code")
    func parameters() throws {
        for route in try TestRig().api.routes {
            let operation = try #require(contract.operations.first { $0.id == route.operationID })
            let parameters = operation.value["parameters"]?.elements.compactMap(contract.resolved) ?? []
            func named(_ place: String) -> [String] { parameters.filter { $0["in"]?.text == place }.compactMap { $0["name"]?.text }.sorted() }
            #expect(named("query") == route.parameters.sorted(), "\(route.operationID)")
            let variables = route.template.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
            #expect(named("path") == variables.sorted(), "\(route.operationID)")
            let body = operation.value["requestBody"]
            #expect(body?["required"]?.bool == (route.body == .none ? nil : route.body == .required), "\(route.operationID)")
        }
    }

    @Test("every operation has a summary, a tag, a success status and the errors that any request can cause")
    func complete() throws {
        let routes = try TestRig().api.routes
        for operation in contract.operations {
            let statuses = operation.value["responses"]?.names ?? []
            #expect(operation.value["summary"]?.text?.isEmpty == false, "\(operation.id)")
            #expect(operation.value["tags"]?.elements.count == 1, "\(operation.id)")
            #expect(statuses.contains { $0.hasPrefix("2") || $0 == "101" }, "\(operation.id)")
            let isOpen = operation.value["security"]?.elements.isEmpty == true
            #expect(isOpen == routes.first { $0.operationID == operation.id }?.isOpen, "\(operation.id)")
            if !isOpen { for status in ["401", "429"] { #expect(statuses.contains(status), "\(operation.id)") } }
            for status in ["400", "403", "default"] { #expect(statuses.contains(status), "\(operation.id)") }
            if operation.value["requestBody"] != nil { for status in ["413", "415"] { #expect(statuses.contains(status), "\(operation.id)") } }
        }
    }

    @Test("every problem code is named in the description of its status, and in no other")
    func problems() {
        let known = Set(ProblemCode.all.map(\.name))
        #expect(known.count == ProblemCode.all.count)
        var named: [Int: Set<String>] = [:]
        for response in contract.document["components"]?["responses"]?.names ?? [] {
            guard let value = contract.document["components"]?["responses"]?[response], let text = value["description"]?.text,
                let examples = value["content"]?["application/problem+json"]?["examples"]
            else { continue }
            // Only the response `Refused` has several statuses.
            let statuses = Set(examples.names.compactMap { examples[$0]?["value"]?["status"]?.double })
            let names = text.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }.filter(known.contains)
            for name in names {
                let own = ProblemCode.all.first { $0.name == name }.map { Double($0.status) }
                for status in statuses where statuses.count == 1 || status == own { named[Int(status), default: []].insert(name) }
            }
        }
        for code in ProblemCode.all where code.status != 405 && code.status != 503 {
            #expect(named[code.status]?.contains(code.name) == true, "\(code.name)")
        }
        for (status, names) in named { for name in names { #expect(ProblemCode.all.first { $0.name == name }?.status == status, "\(name)") } }
    }

    @Test("every code of a failure and every reason of a change is published, and no other")
    func published() {
        func values(_ schema: String) -> [String] { contract.schema(schema)?["enum"]?.elements.compactMap(\.text) ?? [] }
        #expect(Set(values("FailureCode")) == Set(PlaybackError.Code.all.map(\.rawValue)))
        #expect(Set(values("FailureReason")) == Set(PlaybackError.Reason.allCases.map(\.rawValue)))
        #expect(Set(values("PersistenceErrorCode")) == Set(PersistenceFailure.Code.allCases.map(\.rawValue)))
        #expect(Set(values("ChangeReason")) == Set(PlayerState.Reason.allCases.map(\.rawValue)))
        #expect(values("SilenceReason") == SilenceReason.allCases.map(\.rawValue))
        #expect(Set(values("Capability")) == Set(ServerInformation.Capability.allCases.map(\.rawValue)))
        func names<Value: Named>(_: Value.Type) -> Set<String> { Set(Value.names.map(\.name)) }
        #expect(Set(values("PlayerStatus")) == names(AVPlayer.Status.self))
        #expect(Set(values("ItemStatus")) == names(AVPlayerItem.Status.self))
        #expect(Set(values("TimeControlStatus")) == names(AVPlayer.TimeControlStatus.self))
        #expect(Set(values("WaitingReason")) == names(AVPlayer.WaitingReason.self).union(["none"]))
        #expect(Set(values("ActionAtItemEnd")) == names(AVPlayer.ActionAtItemEnd.self))
        #expect(Set(values("InterruptionReason")) == names(AVAudioSession.InterruptionReason.self))
        #expect(Set(values("RouteChangeReason")) == names(AVAudioSession.RouteChangeReason.self))
        for schema in ["FailureCode", "FailureReason", "ChangeReason", "SilenceReason", "Capability"] {
            let text = contract.schema(schema)?["description"]?.text ?? ""
            for value in values(schema) { #expect(text.contains("`\(value)`: "), "\(schema).\(value)") }
        }
    }

    @Test("every schema, and every property that is not a reference, has a description")
    func descriptions() {
        var missing: [String] = []
        func walk(_ path: String, _ schema: JSONValue) {
            for name in schema["properties"]?.names ?? [] {
                guard let property = schema["properties"]?[name], property["$ref"] == nil else { continue }
                if property["description"]?.text?.isEmpty != false { missing.append("\(path).\(name)") }
                walk("\(path).\(name)", property)
            }
            if let items = schema["items"] { walk(path + "[]", items) }
            for part in schema["allOf"]?.elements ?? [] { walk(path, part) }
        }
        for name in contract.document["components"]?["schemas"]?.names ?? [] {
            guard let schema = contract.schema(name) else { continue }
            if schema["description"]?.text?.isEmpty != false, schema["allOf"] == nil { missing.append(name) }
            walk(name, schema)
        }
        #expect(missing == [])
    }

    @Test("every number has a format, so that generated clients keep its precision, and every enumeration that is returned has a name")
    func precision() {
        var imprecise: [String] = [], nameless: [String] = []
        func walk(_ path: String, _ value: JSONValue) {
            if let type = value["type"]?.text, type == "number" || type == "integer" {
                if !["double", "int64", "int32"].contains(value["format"]?.text) { imprecise.append(path) }
            }
            for name in value.names { if let member = value[name] { walk("\(path).\(name)", member) } }
            for (index, element) in value.elements.enumerated() { walk("\(path)[\(index)]", element) }
        }
        walk("", contract.document)
        #expect(imprecise == [])
        for name in contract.document["components"]?["schemas"]?.names ?? [] where !name.hasSuffix("Request") && !name.hasSuffix("Update") {
            for property in contract.schema(name)?["properties"]?.names ?? [] where name != "Health" {
                if contract.schema(name)?["properties"]?[property]?["enum"] != nil { nameless.append("\(name).\(property)") }
            }
        }
        #expect(nameless == [])
    }

    @Test("an enumeration in a list has a name, and the parts of a response have its type, because generated Java is invalid otherwise")
    func listsAndParts() {
        for name in contract.document["components"]?["schemas"]?.names ?? [] {
            for property in contract.schema(name)?["properties"]?.names ?? [] {
                #expect(contract.schema(name)?["properties"]?[property]?["items"]?["enum"] == nil, "\(name).\(property)")
            }
        }
        for operation in contract.operations {
            let responses = operation.value["responses"]
            let content = (responses?.names ?? []).filter { $0.hasPrefix("2") }.compactMap { contract.resolved(responses?[$0])?["content"] }
            let formats = Set(content.flatMap { media in media.names.map { media[$0]?["schema"]?["format"]?.text } })
            #expect(formats.count <= 1, "\(operation.id)")
        }
    }

    @Test("every reference resolves, and every component is used")
    func references() {
        var used: Set<String> = []
        func walk(_ value: JSONValue) {
            if let reference = value["$ref"]?.text {
                used.insert(reference)
                #expect(contract.resolved(value) != nil, "\(reference)")
            }
            for name in value.names { if let member = value[name] { walk(member) } }
            for element in value.elements { walk(element) }
        }
        walk(contract.document)
        // Some `$ref` in the contract must refer to each component. Security schemes are excepted, because the member `security` names them.
        for kind in contract.document["components"]?.names ?? [] where kind != "securitySchemes" {
            for name in contract.document["components"]?[kind]?.names ?? [] {
                #expect(used.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name)")
            }
        }
    }

    @Test("the contract contains nothing that breaks generated clients: no null, no union of types")
    func generators() {
        func walk(_ value: JSONValue, _ place: String) {
            for name in ["nullable", "oneOf", "anyOf"] { #expect(value[name] == nil, "\(place)") }
            if let type = value["type"], !place.hasSuffix("/properties") { #expect(type.text != nil, "\(place)") }
            #expect(value["type"]?.text != "null", "\(place)")
            for name in value.names { if let member = value[name] { walk(member, place + "/" + name) } }
            for (index, element) in value.elements.enumerated() { walk(element, "\(place)/\(index)") }
        }
        walk(contract.document, "")
    }

    @Test("every example of a response is valid by its schema")
    func answerExamples() {
        var count = 0
        for operation in contract.operations {
            for status in operation.value["responses"]?.names ?? [] {
                let response = contract.resolved(operation.value["responses"]?[status])
                for type in response?["content"]?.names ?? [] where type.hasSuffix("json") {
                    let media = response?["content"]?[type]
                    for example in media?["examples"]?.names ?? [] {
                        guard let value = contract.resolved(media?["examples"]?[example])?["value"] else {
                            Issue.record("\(operation.id) \(status) \(example) has no value")
                            continue
                        }
                        #expect(contract.errors(value, media?["schema"], at: "") == [], "\(operation.id) \(status) \(example)")
                        if status == "default" {
                            #expect([411, 414, 417, 431].contains(value["status"]?.double), "\(operation.id) \(example)")
                        } else if status >= "400" {
                            #expect(value["status"]?.double == Double(status))
                        }
                        if status == "default" || status >= "400" {
                            let code = ProblemCode.all.first { "/problems/" + $0.name == value["type"]?.text }
                            #expect(code?.title == value["title"]?.text, "\(operation.id) \(status) \(example)")
                        }
                        count += 1
                    }
                    #expect(media?["examples"]?.names.isEmpty == false, "\(operation.id) \(status) has no example")
                }
            }
        }
        #expect(count > 50)
    }

    @Test("every event and every WebSocket message has a schema and an example that is valid by it")
    func messageExamples() {
        let events = contract.events?.names ?? []
        #expect(Set(contract.messages?.names ?? []) == Set(events + ["command", "result", "problem"]))
        for name in contract.messages?.names ?? [] {
            let message = contract.messages?[name]
            let examples = message?["examples"]?.names ?? []
            #expect(!examples.isEmpty, "\(name)")
            for example in examples {
                guard let value = message?["examples"]?[example]?["value"] else {
                    Issue.record("\(name) \(example) has no value")
                    continue
                }
                #expect(contract.errors(value, message?["schema"], at: "") == [], "\(name) \(example)")
            }
            if events.contains(name) { #expect(message?["schema"]?["properties"]?["data"] == contract.events?[name], "\(name)") }
        }
    }

    @Test("every example of a request is accepted by the code and valid by its schema")
    func requestExamples() async throws {
        let home = try TemporaryDirectory()
        try home.directory("music")
        try home.directory("music/Album")
        try home.file("music/sample.flac")
        let rig = try TestRig {
            $0.media = try PathConfinement(roots: [home.path + "/music"])
            $0.outputs = FakeDirectory()
            $0.pictureScaler = FakeScaler()
            $0.web = StaticFiles(["/index.html": StaticFiles.File(contentType: "text/html", bytes: [])])
        }
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///music/sample.flac") }
        rig.player.facts["e1"] = MediaFacts(metadata: [MetadataEntry(key: "lyrics", value: "One")])
        rig.player.fakeOpener.setMedium(FakeOpener.Medium(frames: 100), at: "/e1")
        let picture = Artwork(mimeType: "image/png", data: [1])
        rig.player.fakeOpener.setMedium(FakeOpener.Medium(frames: 100, artwork: picture), at: home.path + "/music/sample.flac")
        rig.player.artworks.withLock { $0["e1"] = Artwork(mimeType: "image/png", data: [1]) }
        var count = 0
        for operation in contract.operations where !["getEvents", "getSocket"].contains(operation.id) {
            let parameters = operation.value["parameters"]?.elements.compactMap(contract.resolved) ?? []
            var path = operation.path
            var query: [String] = []
            var headers: [(String, String)] = []
            for parameter in parameters {
                guard let name = parameter["name"]?.text, let example = parameter["example"] else {
                    Issue.record("\(operation.id): a parameter without example")
                    continue
                }
                let text = example.text ?? example.double.map(JSONWriter.text) ?? ""
                switch parameter["in"]?.text {
                case "path": path = path.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: text)
                case "query" where name == "path" || name == "url": query.append("\(name)=" + home.path + text)
                case "query" where name == "wait": continue
                case "query": query.append("\(name)=\(text)")
                // `If-Match` is not sent, because the revision in its example is not the revision of this server.
                case "header" where name == "If-Match": continue
                default: headers.append((name, text))
                }
            }
            let target = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            let examples = operation.value["requestBody"]?["content"]?["application/json"]?["examples"]
            let schema = operation.value["requestBody"]?["content"]?["application/json"]?["schema"]
            for name in examples?.names ?? ["none"] {
                var body: String?
                if let value = examples?[name]?["value"] {
                    #expect(contract.errors(value, schema, at: "") == [], "\(operation.id) \(name)")
                    body = value.serialized.split(separator: "/music/sample.flac", omittingEmptySubsequences: false).joined(
                        separator: home.path + "/music/sample.flac")
                    if value["current"] != nil {
                        // The example names an entry by its id. Earlier requests of this test have emptied the queue, and new entries have other ids.
                        let entry = #"{"url":"\#(home.path)/music/sample.flac"}"#
                        _ = await rig.send("PUT", "/api/v1/queue", json: #"{"entries":[\#(entry),\#(entry)]}"#)
                        body = #"{"current":"\#(rig.player.state.currentItem?.id ?? "")"}"#
                    }
                }
                // Earlier requests of this test have changed the queue.
                if operation.path.contains("/items/") {
                    rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///music/sample.flac") }
                }
                // Each request needs an `Idempotency-Key` of its own.
                let own = headers.map { $0.0 == "Idempotency-Key" ? ($0.0, "\($0.1)-\(operation.id)-\(name)") : $0 }
                async let answer = rig.send(operation.method, target, headers: own, json: body)
                // A waveform is computed on another thread, and its response is completed in a later turn of the main actor, which the test runs.
                if operation.id == "getWaveform" {
                    await rig.until { rig.time.turnCount > 0 }
                    rig.time.run()
                }
                let reply = await answer
                #expect((200..<300).contains(reply.status), "\(operation.id) \(name): \(reply.text)")
                count += 1
            }
        }
        #expect(count >= 50)
    }

    @Test("the code accepts exactly the body members that the contract names")
    func requestMembers() async throws {
        let rig = try TestRig()
        for operation in contract.operations {
            guard let schema = contract.resolved(operation.value["requestBody"]?["content"]?["application/json"]?["schema"]) else { continue }
            #expect(schema["additionalProperties"]?.bool == false, "\(operation.id)")
            for name in schema["properties"]?.names ?? [] {
                // The test sends each member of the schema with a value of a wrong type. The code must refuse the type; if it refused the name, it
                // would not know the member.
                let isArray = contract.resolved(schema["properties"]?[name])?["type"]?.text == "array"
                let reply = await rig.send(operation.method, operation.path, json: "{\"\(name)\":\(isArray ? "{}" : "[]")}")
                #expect(reply.problem != "unknown-member", "\(operation.id) \(name)")
                #expect(reply.status == 400, "\(operation.id) \(name)")
            }
            #expect(await rig.send(operation.method, operation.path, json: "{\"unheardOf\":1}").problem == "unknown-member", "\(operation.id)")
        }
    }
}

extension JSONValue {
    /// The JSON text of this value.
    var serialized: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number.text
        case .string(let text): String(decoding: JSONWriter.object { $0.member("s", text) }.dropFirst(5).dropLast(), as: UTF8.self)
        case .array(let elements): "[" + elements.map(\.serialized).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { "\"\($0.name)\":\($0.value.serialized)" }.joined(separator: ",") + "}"
        }
    }
}
