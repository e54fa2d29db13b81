-- Neovim drives the adapter, with its own Lua, event loop and pipes, as nvim-dap does:
--     nvim --headless -u NONE -c 'luafile nvim_client.lua', with CUDASH and PROGRAMS in the environment
local cudash, folder = os.getenv("CUDASH"), os.getenv("PROGRAMS")
local source = folder .. "/scale.cu"
local uv = vim.loop
local to, from = uv.new_pipe(false), uv.new_pipe(false)
local messages, unread, sequence = {}, "", 0

local process = uv.spawn(cudash, { args = { "debug", "--dap" }, stdio = { to, from, nil } }, function() end)
assert(process, "the adapter does not start")
from:read_start(function(_, data)
  unread = unread .. (data or "")
  while true do
    local head, length = unread:match("^(Content%-Length: (%d+)\r\n\r\n)")
    if not head or #unread < #head + tonumber(length) then return end
    table.insert(messages, unread:sub(#head + 1, #head + tonumber(length)))
    unread = unread:sub(#head + tonumber(length) + 1)
  end
end)

-- The first message that is wanted; those before it are dropped.
local function receive(wanted)
  local found
  vim.wait(60000, function()
    while #messages > 0 and not found do
      local message = vim.fn.json_decode(table.remove(messages, 1))
      if wanted(message) then found = message end
    end
    return found ~= nil
  end, 5)
  return assert(found, "no answer within a minute")
end

local function event(name)
  return receive(function(message) return message.event == name end).body
end

local function ask(command, arguments)
  sequence = sequence + 1
  local number = sequence
  local text = vim.fn.json_encode({ seq = number, type = "request", command = command, arguments = arguments })
  to:write("Content-Length: " .. #text .. "\r\n\r\n" .. text)
  local answer = receive(function(message) return message.request_seq == number end)
  assert(answer.success, command .. ": " .. tostring(answer.message))
  return answer.body
end

local function equal(actual, expected, what)
  assert(actual == expected, what .. ": " .. tostring(actual) .. " instead of " .. tostring(expected))
end

local function top(thread)
  return ask("stackTrace", { threadId = thread }).stackFrames[1]
end

local passed, problem = pcall(function()
  equal(ask("initialize", { adapterID = "cudash", linesStartAt1 = true }).supportsStepBack, true, "steps back")
  ask("launch", { program = source })
  event("initialized")
  local set = ask("setBreakpoints", {
    source = { path = source },
    breakpoints = { { line = 18, condition = "i == 77", hitCondition = "1" } },
  })
  equal(set.breakpoints[1].verified, true, "the breakpoint")
  ask("configurationDone", vim.empty_dict())
  local thread = event("stopped").threadId
  local frame = top(thread)
  equal(frame.line, 18, "the line")
  equal(ask("evaluate", { expression = "i", frameId = frame.id, context = "hover" }).result, "77", "i")
  ask("stepBack", { threadId = thread })
  thread = event("stopped").threadId
  equal(top(thread).line, 17, "the line before")
  ask("next", { threadId = thread })
  thread = event("stopped").threadId
  equal(top(thread).line, 18, "the line again")
  ask("setBreakpoints", { source = { path = source }, breakpoints = {} })
  ask("continue", { threadId = thread })
  equal(event("exited").exitCode, 3, "the exit code")
  ask("disconnect", vim.empty_dict())
end)
if not passed then io.stderr:write("nvim_client.lua: ", tostring(problem), "\n") end
vim.cmd(passed and "qall!" or "cquit!")
