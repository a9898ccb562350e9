-- All that one server has to tell of one account in one turn of its event loop.
--
-- An entity is a string: a header (epoch, base, length of the snapshot, events), a snapshot of its
-- history as of position `base`, and the entries of its log since. A position is the number of
-- bytes of entries since the epoch began. A server says how far it has followed a log, and gets
-- what came after that: nothing but a number if that is only its own entry.
--
-- `operations.py` packs the arguments and reads the replies. The constants above come from there.

local call, pack, unpack, sub = redis.call, struct.pack, struct.unpack, string.sub
local nonce, keep_s, generation = ARGV[1], ARGV[2], ARGV[3]
local HEADER = 18
local NOBODY = string.rep('\0', 8)
local blank = pack('<I5I3I4', 0, 0, 0)

-- A rebuild lets all keys of an account end with another word. A server that has not heard of it
-- named keys that are about to be deleted, so nothing is done: it is told the word and asks again.
local current = call('GET', KEYS[4]) or ''
if current ~= generation then return current end

local totals_key, tallies_key, goods_key = KEYS[1], KEYS[2], KEYS[3]
local events, users, recent, recent_s = 0, 0, 0, 0
local totals = call('GET', totals_key)
if totals then events, users, recent, recent_s = unpack('<dddd', totals) end
local changed, due = false, false

-- What a server that has followed to a position does not know yet.
local function news(key, header, size, epoch, position, own)
  local base, snapshot = unpack('<I5I3', header, 7)
  local length = size - HEADER - snapshot
  local finish = base + length
  local long = length > LONG
  if epoch == sub(header, 1, 6) and position >= base and position <= finish then
    if finish - position == own then return long and -finish or finish end
    return (long and 't' or 'T') .. call('GETRANGE', key, size - (finish - position), -1)
  end
  return (long and 'f' or 'F') .. call('GETRANGE', key, 0, -1)
end

local function is_user(key)
  return string.byte(key, -1 - #generation) % 32 == USER
end

local function count_in(key, entry, epoch, position)
  local header = call('GETRANGE', key, 0, HEADER - 1)
  if header == '' then
    local counted = blank
    if is_user(key) then
      counted = pack('<I5I3I4', 0, 0, 1)
      users = users + 1
    end
    call('SET', key, nonce .. counted .. entry, 'EX', keep_s)
    return 0
  end
  local size = call('APPEND', key, entry)
  call('EXPIRE', key, keep_s)
  if is_user(key) then
    local seen = unpack('<I4', header, 15)
    if seen == 0 then users = users + 1 end
    call('SETRANGE', key, 14, pack('<I4', seen + 1))
  end
  return news(key, header, size, epoch, position, #entry)
end

local function look(key, epoch, position)
  local header = call('GETRANGE', key, 0, HEADER - 1)
  if header == '' then return '' end
  return news(key, header, call('STRLEN', key), epoch, position, 0)
end

-- An entry that changes what is there; only a refusal can be the first one.
local function append(key, entry, what)
  local header = call('GETRANGE', key, 0, HEADER - 1)
  if header == '' then
    if what == REFUSE then call('SET', key, nonce .. blank .. entry, 'EX', keep_s) end
    return
  end
  call('APPEND', key, entry)
  if what == RETRACT and is_user(key) then
    local seen = unpack('<I4', header, 15)
    if seen == 1 then users = users - 1 end
    if seen > 0 then call('SETRANGE', key, 14, pack('<I4', seen - 1)) end
  end
end

local function count_event(at_s)
  local later_s = at_s - recent_s
  events = events + 1
  if later_s > 0 then
    recent = recent * math.exp(later_s * FADING) + 1
    recent_s = at_s
  else
    recent = recent + math.exp(-later_s * FADING)
  end
  if events % 64 == 1 then due = true end
  changed = true
end

local function uncount_event(at_s)
  events = events - 1
  recent = math.max(recent - math.exp((recent_s - at_s) * FADING), 0)
  changed = true
end

-- The amounts in a currency: how many were cut off before those that stand here, then each.
-- They are returned once there are enough new ones for the server to work out their spread.
local function amounts_since(key, logarithm, wanted)
  local size
  if logarithm then
    size = call('APPEND', key, pack('<d', logarithm))
    if size == 8 then
      size = 16
      call('SET', key, pack('<dd', 0, logarithm), 'EX', keep_s)
    end
  else
    size = call('STRLEN', key)
    if size == 0 then return '' end
  end
  local before = unpack('<d', call('GETRANGE', key, 0, 7))
  local count = before + (size - 8) / 8
  if logarithm and size > 16 * AMOUNTS then
    local kept = pack('<d', count - AMOUNTS) .. call('GETRANGE', key, size - 8 * AMOUNTS, -1)
    call('SET', key, kept, 'EX', keep_s)
  elseif count % 64 == 0 and logarithm then
    call('EXPIRE', key, keep_s)
  end
  -- Far fewer than the server has seen: the store has lost them and begun again.
  local due = count >= wanted or count + 2 * AMOUNTS < wanted
  return due and call('GETRANGE', key, 0, -1) or ''
end

-- The entries before a position become a snapshot. Another server may have done the same since.
local function compact(key, packed)
  local epoch, position, at = unpack('<c6d', packed, 2)
  local snapshot = sub(packed, at)
  local header = call('GETRANGE', key, 0, HEADER - 1)
  if header == '' or sub(header, 1, 6) ~= epoch then return end
  local base, old, seen = unpack('<I5I3I4', header, 7)
  local finish = base + call('STRLEN', key) - HEADER - old
  if position < base or position > finish then return end
  if snapshot == '' and position == finish then
    call('DEL', key)
    return
  end
  local rest = position < finish and call('GETRANGE', key, position - finish, -1) or ''
  local header_now = epoch .. pack('<I5I3I4', position, #snapshot, seen)
  call('SET', key, header_now .. snapshot .. rest, 'EX', keep_s)
end

local replies, k = {}, 4
for a = 4, #ARGV do
  local packed = ARGV[a]
  local what = string.byte(packed, 1)
  if what == COMPACT then
    k = k + 1
    compact(KEYS[k], packed)
    replies[#replies + 1] = 1
  else
    local _, flags, entities, tallied, sold, size, once_s, at_s, logarithm, wanted, id, at =
      unpack('<BBHHHBIdddc8', packed)
    local facts = sub(packed, at, at + size - 1)
    at = at + size
    local reply, status = what == COUNT and { 1, '', '' } or {}, 1
    if flags % 2 == 1 then
      k = k + 1
      local earlier = call('SET', KEYS[k], id, 'NX', 'GET', 'EX', once_s)
      if earlier then
        status = earlier == id and id ~= NOBODY and 2 or 0
        -- A server whose call was lost tells the same again, and may have to do so once more.
        if status == 2 then call('EXPIRE', KEYS[k], once_s, 'GT') end
      end
    end
    if flags % 4 >= 2 then
      k = k + 1
      -- Some changes are only made if it is this request that made the mark.
      if flags >= 8 and call('GET', KEYS[k]) ~= id then status = 0 end
      if status == 1 then call('DEL', KEYS[k]) end
    end
    if what == COUNT then
      k = k + 1
      if status == 1 then count_event(at_s) end
      reply[3] = amounts_since(KEYS[k], status == 1 and flags >= 4 and logarithm, wanted)
    elseif what == RETRACT and status == 1 then
      uncount_event(at_s)
    end
    for _ = 1, entities do
      k = k + 1
      local partners, epoch, position, after = unpack('<Bc6d', packed, at)
      at = after + 8 * partners
      if what == READ or (what == COUNT and status ~= 1) then
        reply[#reply + 1] = look(KEYS[k], epoch, position)
      elseif status == 1 then
        local entry = string.char(what * 16 + partners) .. facts .. sub(packed, after, at - 1)
        if what == COUNT then
          reply[#reply + 1] = count_in(KEYS[k], entry, epoch, position)
        else
          append(KEYS[k], entry, what)
        end
      end
    end
    for n = 1, tallied + sold do
      local key = n <= tallied and tallies_key or goods_key
      local field = sub(packed, at, at + 7)
      at = at + 8
      if what == COUNT then
        local times = status == 1 and call('HINCRBY', key, field, 1) or call('HGET', key, field)
        reply[#reply + 1] = tonumber(times or 0)
      elseif status == 1 and call('HINCRBY', key, field, -1) < 1 then
        call('HDEL', key, field)
      end
    end
    if what == COUNT then
      reply[1], reply[2] = status, pack('<dddd', events, users, recent, recent_s)
    end
    replies[#replies + 1] = (what == COUNT or what == READ) and reply or status
  end
end
if changed then
  call('SET', totals_key, pack('<dddd', events, users, recent, recent_s), 'EX', keep_s)
end
-- In the end: the first event of an account makes these keys.
if due then
  call('EXPIRE', tallies_key, keep_s)
  call('EXPIRE', goods_key, keep_s)
end
return replies
