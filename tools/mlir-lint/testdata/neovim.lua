-- Edits a module in Neovim with mlir-lint as its language server, and writes what it sees as JSON to
-- neovim.json: the diagnostics and the text after each step.
local results = {}

local function diagnostics()
  local all = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    table.insert(all, string.format('%d:%d %s', d.lnum + 1, d.col + 1, d.code or d.user_data.lsp.code))
  end
  table.sort(all)
  return all
end

-- step waits until there are so many diagnostics.
local function step(name, count)
  if not vim.wait(60000, function() return #vim.diagnostic.get(0) == count end, 20) then
    error(name .. ': the diagnostics are ' .. vim.inspect(diagnostics()))
  end
  table.insert(results, {
    name = name,
    diagnostics = diagnostics(),
    text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'),
  })
end

-- act chooses the first code action of a kind at the cursor, as a user does.
local function act(kind)
  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  local context = {only = {kind}, diagnostics = {}}
  local tick = vim.b.changedtick
  vim.lsp.buf.code_action(vim.fn.has('nvim-0.8') == 1 and {context = context} or context)
  if not vim.wait(60000, function() return vim.b.changedtick ~= tick end, 20) then
    error('no code action ' .. kind)
  end
end

local function run()
  vim.cmd('edit a.mlir')
  local config = {name = 'mlir-lint', cmd = {'mlir-lint', 'lsp'}, root_dir = vim.fn.getcwd()}
  local client = (vim.lsp.start or vim.lsp.start_client)(config)
  vim.lsp.buf_attach_client(0, client)
  step('open', 1)
  vim.api.nvim_buf_set_lines(0, 0, 0, false, vim.fn.readfile('hook.mlir'))
  step('edit', 3)
  vim.api.nvim_win_set_cursor(0, {7, 3})
  act('quickfix')
  step('code action', 2)
  act('source.fixAll.mlir-lint')
  step('fix all', 0)
end

local ok, err = pcall(run)
vim.fn.writefile({vim.fn.json_encode({results = results, error = ok and '' or tostring(err)})}, 'neovim.json')
vim.cmd('qall!')
