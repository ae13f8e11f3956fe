-- What calls of several tenants have in common. Those on one plan ask with the same numbers, which
-- are read once, and so are their forms. Only what is counted in a form is its tenant's own.

local asked = {}

-- The numbers behind the text, and the forms that were read of them so far.
local function asked_alike(text)
  local known = asked[text]
  if not known then
    known = { numbers = cjson.decode(text), forms = {} }
    asked[text] = known
  end
  local forms = known.forms
  for index = 1, #forms do forms[index].is_past = true end
  return known.numbers, forms
end

-- A form that another tenant had: where it and its texts in ARGV end.
local function form_again(form, argument)
  form.is_past, form.admitted, form.warned = false, 0, 0
  if form.label then
    argument = argument + 1
    form.ledger_key, form.label = KEYS[company.base + form.ledger_at], ARGV[argument]
  end
  return form.ends_at, argument
end

-- They are decided at one instant.
local clock_at = clock_now()
clock_now = function() return clock_at end
