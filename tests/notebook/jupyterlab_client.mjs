// JupyterLab's own client library against `cudash serve`: what JupyterLab itself sends and understands. By hand:
//
//     npm install --prefix FOLDER @jupyterlab/services
//     NODE_PATH=FOLDER/node_modules node tests/notebook/jupyterlab_client.mjs BUILD_FOLDER
//
// The last line counts.
import {spawn} from 'node:child_process';
import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {deepStrictEqual as same, ok} from 'node:assert';

const require = createRequire(join(process.env.NODE_PATH ?? '.', 'x.js'));
const {KernelManager, KernelSpecAPI, ServerConnection} = require('@jupyterlab/services');
const build = realpathSync(process.argv[2]);
const home = mkdtempSync(join(tmpdir(), 'cudash-lab-'));

const freePort = () => new Promise(resolve => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const {port} = probe.address();
    probe.close(() => resolve(port));
  });
});

const port = await freePort();
const environment = {...process.env, HOME: home, CUDASH_CONFIG: '/dev/null', XDG_RUNTIME_DIR: home};
delete environment.SUDO_UID;
const server = spawn(`${build}/cudash`, ['serve', '--no-browser', '--port', `${port}`, `${home}/notebooks`],
                     {env: environment, stdio: ['ignore', 'ignore', 'pipe']});
let said = '';
server.stderr.on('data', bytes => { said += bytes; });
const until = async (condition, what, seconds = 30) => {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    const value = await condition();
    if (value) return value;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(`waited for ${what}\n${said}`);
};

let passed = 0, failed = 0;
const step = async (name, call) => {
  try {
    await call();
    ++passed;
    console.error('ok', name);
  } catch (problem) {
    ++failed;
    console.error('FAILED', name, problem);
  }
};

try {
  const token = await until(() => /token=(\w+)/.exec(said)?.[1], 'a token');
  const serverSettings = ServerConnection.makeSettings({baseUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}`, token});
  await until(() => fetch(`http://127.0.0.1:${port}/api`).then(reply => reply.ok, () => false), 'the server');

  await step('the kernel is among those offered', async () => {
    const specs = await KernelSpecAPI.getSpecs(serverSettings);
    same(specs.kernelspecs.cudash.display_name, 'CUDA C++ (cudash)');
    same(specs.kernelspecs.cudash.language, 'c++');
    ok(specs.kernelspecs.cudash.resources['logo-svg']);
  });

  const manager = new KernelManager({serverSettings});
  const kernel = await manager.startNew({name: 'cudash'});
  const run = async (code, onMessage) => {
    const outputs = [];
    const future = kernel.requestExecute({code, allow_stdin: false});
    future.onIOPub = message => {
      if (!['status', 'execute_input'].includes(message.header.msg_type)) outputs.push(message);
      onMessage?.(message);
    };
    const reply = await future.done;
    return {reply: reply.content, outputs, types: outputs.map(each => each.header.msg_type)};
  };

  await step('the kernel describes itself', async () => {
    const info = await kernel.info;
    same([info.implementation, info.language_info.file_extension], ['cudash', '.cu']);
  });
  await step('a value', async () => {
    const cell = await run('int answer = 42;\nanswer');
    same(cell.types, ['execute_result']);
    same(cell.outputs[0].content.data['text/plain'], '(int) 42');
  });
  await step('an error is one output, with its line', async () => {
    const cell = await run('int fine;\nwrong + 1;');
    same([cell.reply.status, ...cell.types], ['error', 'error']);
    ok(cell.reply.traceback.join('\n').includes('wrong + 1;'), cell.reply.traceback);
  });
  await step('output and a picture', async () => {
    const cell = await run('#include <cstdio>\n#include <cudash/display.h>\nputs("here"); float f[4] = {1, 3, 2, 4}; ' +
                           'cudash::plot(f, 4, "curve");');
    same(cell.types, ['stream', 'display_data']);
    ok(cell.outputs[1].content.data['image/svg+xml'].startsWith('<svg'));
  });
  await step('completion', async () => {
    const reply = await kernel.requestComplete({code: 'cudaMallocPit', cursor_pos: 13});
    ok(reply.content.matches.includes('cudaMallocPitch'));
  });
  await step('inspection', async () => {
    const reply = await kernel.requestInspect({code: 'cudaMemcpy(', cursor_pos: 11, detail_level: 0});
    ok(reply.content.data['text/plain'].includes('cudaMemcpyKind kind'));
  });
  await step('is_complete', async () => {
    same((await kernel.requestIsComplete({code: 'int f() {'})).content.status, 'incomplete');
  });
  await step('input', async () => {
    const future = kernel.requestExecute({code: 'int n; scanf("%d", &n); n', allow_stdin: true});
    let value;
    future.onStdin = message => kernel.sendInputReply({status: 'ok', value: '7'}, message.header);
    future.onIOPub = message => { value ??= message.content.data?.['text/plain']; };
    same((await future.done).content.status, 'ok');
    same(value, '(int) 7');
  });
  await step('interrupt', async () => {
    let asked = false;
    const cell = await run('while (true) { }', () => {
      if (!asked) setTimeout(() => kernel.interrupt(), 500);
      asked = true;
    });
    same(cell.reply.ename, 'interrupted');
    same(cell.types, ['error']);
  });
  await step('restart', async () => {
    await kernel.restart();
    const cell = await run('answer');
    same(cell.reply.status, 'error');
  });
  await step('comms that front ends open are closed, and no others are there', async () => {
    same((await kernel.requestCommInfo({})).content.comms, {});
  });
  await step('shutdown', async () => {
    await kernel.shutdown();
    same([...(await manager.refreshRunning(), manager.running())].length, 0);
  });
  manager.dispose();
} finally {
  server.kill('SIGTERM');
  await new Promise(resolve => server.once('exit', resolve));
  rmSync(home, {recursive: true, force: true});
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
