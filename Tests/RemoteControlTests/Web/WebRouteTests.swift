import Testing

@testable import RemoteControl

@MainActor @Suite struct WebRouteTests {
    @Test("the page and its files are served with their types, tags and a strict policy")
    func embedded() async throws {
        let rig = try TestRig {
            $0.web = StaticFiles([
                "/index.html": StaticFiles.File(contentType: "text/html; charset=utf-8", bytes: Array("page".utf8)),
                "/a b.css": StaticFiles.File(contentType: "text/css", bytes: Array("style".utf8)),
            ])
        }
        let page = await rig.send("GET", "/")
        #expect(page.text == "page")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let policy = page.header("Content-Security-Policy") ?? ""
        for part in [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
            "form-action 'none'",
        ] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        #expect(await rig.send("GET", "/index.html").text == "page")
        #expect(await rig.send("GET", "/a%20b.css").text == "style")
        #expect(await rig.send("GET", "/", headers: [("If-None-Match", page.header("ETag") ?? "")]).status == 304)
        #expect(await rig.send("GET", "/c.css").status == 404)
    }

    @Test("a browser keeps an immutable file for a year, and asks for the page each time")
    func immutable() async throws {
        let rig = try TestRig {
            $0.web = StaticFiles([
                "/index.html": StaticFiles.File(contentType: "text/html", bytes: Array("page".utf8)),
                "/0123456789abcdef/js/main.js": StaticFiles.File(contentType: "text/javascript", bytes: Array("code".utf8), isImmutable: true),
            ])
        }
        #expect(await rig.send("GET", "/").header("Cache-Control") == "no-cache")
        let script = await rig.send("GET", "/0123456789abcdef/js/main.js")
        #expect(script.header("Cache-Control") == "public, max-age=31536000, immutable")
        #expect(script.header("Content-Security-Policy")?.contains("media-src 'self' blob:") == true)
        let known = await rig.send("GET", "/0123456789abcdef/js/main.js", headers: [("If-None-Match", script.header("ETag") ?? "")])
        #expect(known.status == 304 && known.header("Cache-Control") == "public, max-age=31536000, immutable")
        #expect(await rig.send("GET", "/fedcba9876543210/js/main.js").problem == "not-found")
    }

    @Test("a server without a page answers not-found")
    func none() async throws { #expect(try await TestRig().send("GET", "/").problem == "not-found") }

    @Test("a directory is served with its current contents, and no file outside it is")
    func directory() async throws {
        let home = try TemporaryDirectory()
        try home.directory("web")
        try home.directory("web/js")
        try home.file("web/index.html", "one")
        try home.file("web/js/main.js", "code")
        try home.file("web/.secret", "hidden")
        try home.file("key", "secret")
        try home.link("web/link", to: "../key")
        try home.link("web/door", to: "..")
        try home.pipe("web/pipe")
        let rig = try TestRig { $0.web = try StaticFiles(directory: home.path + "/web") }
        #expect(await rig.send("GET", "/").text == "one")
        try home.file("web/index.html", "two")
        #expect(await rig.send("GET", "/").text == "two")
        let script = await rig.send("GET", "/js/main.js")
        #expect(script.text == "code")
        #expect(script.header("Content-Type") == "text/javascript; charset=utf-8")
        for path in [
            "/../key", "/%2e%2e/key", "/js/../../key", "/js/%2e%2e/%2e%2e/key", "/..%2fkey", "/link", "/door/key", "/.secret", "/js/.", "/js", "/js/",
            "/pipe", "/nothing",
            "/js//main.js", "//js/main.js", "/%2fetc/passwd",
        ] {
            let reply = await rig.send("GET", path)
            #expect(reply.status == 404, "\(path)")
            #expect(!reply.text.contains("secret"))
        }
    }
}
