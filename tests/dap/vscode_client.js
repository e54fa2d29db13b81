// The adapter under the client with which VS Code's authors test adapters: vscode_client.js CLIENT CUDASH PROGRAMS.
const assert = require('assert');
const path = require('path');
const [client, cudash, programs] = process.argv.slice(2);
const { DebugClient } = require(client);
const scale = path.join(path.resolve(programs), 'scale.cu');

async function session(talk) {
    const debug = new DebugClient(cudash, 'debug', 'cudash');
    debug.defaultTimeout = 60000;
    const start = require('child_process').spawn(cudash, ['debug', '--dap'], { stdio: ['pipe', 'pipe', 'inherit'] });
    debug.connect(start.stdout, start.stdin);
    await talk(debug);
    await debug.disconnectRequest({});
    start.stdin.end();
    await new Promise(resolve => start.on('exit', resolve));
}

async function all() {
    await session(async debug => {
        await debug.hitBreakpoint({ program: scale }, { path: scale, line: 18 }, { line: 18 });
        const { body: { threads } } = await debug.threadsRequest();
        assert.ok(threads.length >= 32);
        const { body: { stackFrames } } = await debug.stackTraceRequest({ threadId: threads[5].id });
        const { body: { result } } = await debug.evaluateRequest({ expression: 'i', frameId: stackFrames[0].id });
        assert.strictEqual(result, '5');
        await Promise.all([debug.stepBackRequest({ threadId: 1 }), debug.assertStoppedLocation('step', { line: 17 })]);
        await Promise.all([debug.reverseContinueRequest({ threadId: 1 }), debug.waitForEvent('stopped')]);
    });
    await session(async debug => {
        await Promise.all([
            debug.configurationSequence(), debug.launch({ program: scale }), debug.assertOutput('stdout', 'scaled'),
            debug.waitForEvent('terminated')
        ]);
    });
}

all().then(() => process.exit(0), problem => {
    console.error(problem);
    process.exit(1);
});
