import Testing

@testable import RemoteAssets

@Suite("Modules in one file")
struct ScriptBundleTests {
    private func bundle(_ modules: [String: String]) throws(PageError) -> String {
        String(decoding: try ScriptBundle(of: "js/main.js", in: modules.mapValues { Array($0.utf8) }).bytes, as: UTF8.self)
    }

    /// Bundles the modules, runs the result, and returns what it printed.
    private func printed(_ modules: [String: String]) throws -> String {
        let result = try Node.run(try bundle(modules))
        try #require(result.status == 0)
        return result.output
    }

    @Test("modules are evaluated in the order of their imports, each once, and see each other's exports")
    func order() throws {
        let output = try printed([
            "js/main.js": """
            // The main module.
            import { name as b } from './views/b.js';
            import * as c from './c.js';
            import './views/d.js';
            console.log('main', b, c.name, c.twice(2), new c.Thing().value);
            """,
            "js/views/b.js": "import { name as c } from '../c.js';\nconsole.log('b', c);\nexport const name = 'b';\n",
            "js/views/d.js": "console.log('d');\nexport { twice as again } from '../c.js';\n",
            "js/c.js": """
            console.log('c');
            const name = 'c';
            export { name };
            export function twice(x) { return 2 * x; }
            export class Thing { value = 7; }
            export const list = [1, 2].map((x) => x);
            export async function later() {}
            """,
        ])
        #expect(output == "c\nb c\nd\nmain b c 4 7\n")
    }

    @Test("equal names of several modules are independent, also of functions, and names may hide imports in inner code")
    func names() throws {
        let output = try printed([
            "js/main.js": "import { get } from './a.js';\nlet x = 1;\nfunction help() { return 'main'; }\nconsole.log(get(), help(), x, f(3));\n"
                + "function f(get) { return get; }\n",
            "js/a.js": "let x = 2;\nfunction help() { return 'a'; }\nexport function get() { return help() + x++; }\n",
        ])
        #expect(output == "a2 main 1 3\n")
    }

    @Test("await works at the top of a module")
    func awaits() throws {
        let output = try printed([
            "js/main.js": "import { value } from './a.js';\nconsole.log(value);\n", "js/a.js": "export const value = await Promise.resolve(5);\n",
        ])
        #expect(output == "5\n")
    }

    @Test("import.meta.url is the address of the module, relative to the bundle's folder")
    func address() throws {
        let output = try printed([
            "js/main.js":
                "import { at } from './lang/a.js';\nconsole.log(at.endsWith('/js/lang/en.json'), import.meta.url.endsWith('js/main.js'));\n",
            "js/lang/a.js": "export const at = new URL('en.json', import.meta.url).href;\n",
        ])
        #expect(output == "true true\n")
    }

    @Test("comments disappear; strings, templates and regular expressions keep their bytes")
    func texts() throws {
        let module = """
            /* import { x } from './x.js'; */
            const a = 'it // is "not" \\' a comment', b = `/* ${ { c: `}${1 /* inner */}` }.c } // */`;
            const c = /[/*"']\\/+/g.test("/*'\\"/"), d = 8 / 2 / 1; // export
            console.log([a, b, c, d].join('|'))
            /* a line
               ends here */ console.log('next')
            """
        let text = try bundle(["js/main.js": module])
        #expect(!text.contains("export") && !text.contains("ends here"))
        #expect(try printed(["js/main.js": module]) == "it // is \"not\" ' a comment|/* }1 // */|true|4\nnext\n")
    }

    @Test(
        "a module whose meaning would change, or that is not understood, is refused",
        arguments: [
            "export default 1;", "export let a = 1;", "let a = 1;\nexport { a };", "var a = 1;", "export const { a } = {};",
            "export const a = 1, b = 2;",
            "export * from './a.js';", "import a from './a.js';", "import { default as a } from './a.js';", "import(name);", "import('./none.js');",
            "import('./main.js');", "import { a } from './a.js'; import('./a.js');", "import('./d.js'); import('./a.js');", "const $load = 1;",
            "import('./a.js', {});", "import(`./a.js`);",
            "import { none } from './a.js';", "import { a } from './none.js';", "import { a } from 'a';", "import { a } from '../../a.js';",
            "import { a } from './main.js';", "const u = import.meta.env;", "const s = 'open", "const s = `open", "/* open", "const r = /open",
            "const x = {} / 2;", "const $m = 1;", "const s = `${import.meta.url}`;", "import { b } from './b.js';",
        ])
    func refused(_ text: String) {
        #expect(throws: PageError.self) {
            try bundle([
                "js/main.js": text, "js/a.js": "export const a = 1;\n", "js/b.js": "import { c } from './c.js';\nexport const b = 1;\n",
                "js/c.js": "import { b } from './b.js';\nexport const c = 1;\n", "js/d.js": "import { a } from './a.js';\nexport const d = 1;\n",
            ])
        }
    }

    // MARK: Later files

    /// Writes the files of a bundle, or the modules themselves, into a folder, and returns what `js/main.js` printed there.
    private func printed(inFolder modules: [String: String], isBundled: Bool) throws -> String {
        let bytes = modules.mapValues { Array($0.utf8) }
        guard isBundled else { return try Node.run(files: bytes, main: "js/main.js").output }
        let bundle = try ScriptBundle(of: "js/main.js", in: bytes)
        var files = ["js/main.js": bundle.bytes]
        for later in bundle.later { files[later.path] = later.bytes }
        return try Node.run(files: files, main: "js/main.js").output
    }

    private let parts = [
        "js/main.js": """
        import { add } from './count.js';
        const rest = () => import('./parts/rest.js');
        console.log('main', add());
        if (add() > 0) { const { name, far } = await rest(); console.log(name, add(), far()); }
        console.log((await rest()).name === (await import('./parts/rest.js')).name, (await import('./other.js')).other());
        """,
        "js/count.js": "console.log('count');\nlet count = 0;\nexport function add() { return count += 1; }\n",
        "js/parts/rest.js": """
        import { add } from '../count.js';
        import { shared } from '../shared.js';
        import * as own from './own.js';
        console.log('rest', add(), shared, new URL('x', import.meta.url).href.endsWith('/js/parts/x'));
        export const name = 'the rest';
        export const far = () => own.value;
        """,
        "js/parts/own.js": "console.log('own');\nexport const value = await Promise.resolve('own value');\n",
        "js/other.js": "import { shared } from './shared.js';\nexport const other = () => shared;\n",
        "js/shared.js": "export const shared = 'shared';\n",
    ]

    @Test("modules that are loaded later are evaluated once, and share the modules of the first file, as they do without a bundle")
    func later() throws {
        let output = try printed(inFolder: parts, isBundled: true)
        #expect(output == "count\nmain 1\nown\nrest 3 shared true\nthe rest 4 own value\ntrue shared\n")
        #expect(try printed(inFolder: parts, isBundled: false) == output)
    }

    @Test("a later file contains only its own modules; those of several later files are in the first file")
    func split() throws {
        let bundle = try ScriptBundle(of: "js/main.js", in: parts.mapValues { Array($0.utf8) })
        #expect(bundle.later.map(\.path) == ["js/other.js", "js/parts/rest.js"])
        #expect(Set(bundle.paths) == Set(parts.keys))
        let texts = bundle.later.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts.allSatisfy { !$0.contains("'count'") && !$0.contains("= 'shared'") })
        #expect(texts[1].contains("'own'") && !String(decoding: bundle.bytes, as: UTF8.self).contains("'own'"))
    }

    @Test("a later file whose loading has failed is requested again by the next import, under another address")
    func again() throws {
        let main = """
            const get = () => import('./rest.js');
            try { await get(); } catch { console.log('failed'); }
            globalThis.bringBack();
            console.log((await get()).name);
            """
        let bundle = try ScriptBundle(
            of: "js/main.js", in: ["js/main.js": Array(main.utf8), "js/rest.js": Array("export const name = 'the rest';\n".utf8)])
        let start = """
            import { renameSync } from 'node:fs';
            globalThis.bringBack = () => renameSync(new URL('away.js', import.meta.url), new URL('rest.js', import.meta.url));
            await import('./main.js');
            """
        let files = ["js/start.js": Array(start.utf8), "js/main.js": bundle.bytes, "js/away.js": bundle.later[0].bytes]
        #expect(try Node.run(files: files, main: "js/start.js").output == "failed\nthe rest\n")
    }

    @Test("members and keys that are called like keywords are no imports or exports")
    func members() throws {
        #expect(
            try printed(["js/main.js": "const o = { f: 1 };\no.import = 2;\no.export = 3;\nconsole.log(o.import + o.export, ...[o.f]);\n"]) == "5 1\n"
        )
    }
}
