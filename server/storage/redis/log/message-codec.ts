import type { ChatMessage } from '../../../../contract/messages.ts'
import type { RedisReply } from '../redis-connection.ts'

/** Name of each message property in an entry of the Redis stream. Stored entries depend on these names. */
const fieldNames = {
  username: 'u',
  message: 'm',
  createdTime: 't',
} as const satisfies Record<keyof ChatMessage, string>

/** Field for the time at which the entry was stored, by the clock of Redis. */
const storedAtField = 's'

/** Properties that must match when a sender repeats an id. */
const comparedProperties = ['message', 'createdTime'] as const satisfies (keyof ChatMessage)[]

const properties = Object.keys(fieldNames) as (keyof ChatMessage)[]

/** Number of values that `encodeMessage` returns. */
export const valuesPerMessage = properties.length

/** Returns the values of a message for a script, in the order of `fieldNames`. */
export const encodeMessage = (message: ChatMessage): (string | number)[] => properties.map((name) => message[name])

/** Decodes the fields of a stream entry, `[name, value, ...]`. */
export function decodeMessage(words: RedisReply | undefined): ChatMessage {
  const fields: Record<string, string> = {}
  if (Array.isArray(words)) {
    for (let i = 0; i + 1 < words.length; i += 2) fields[String(words[i])] = String(words[i + 1])
  }
  const { [fieldNames.username]: username = '', [fieldNames.message]: message = '' } = fields
  return { username, message, createdTime: Number(fields[fieldNames.createdTime]) }
}

const valueInArgv = (name: keyof ChatMessage) => `ARGV[first + ${properties.indexOf(name)}]`
const comparisons = comparedProperties.map((name) => `field(entry, '${fieldNames[name]}') == ${valueInArgv(name)}`)
const fieldsAndValues = properties.map((name) => `'${fieldNames[name]}', ${valueInArgv(name)}`)

/** Lua functions that store and read a message. `first` is the index in ARGV of the first value of `encodeMessage`. */
export const messageCodecLua = `
local function field(entry, name)
  local words = entry[2]
  for i = 1, #words, 2 do
    if words[i] == name then return words[i + 1] end
  end
end
local function storedAt(entry) return tonumber(field(entry, '${storedAtField}')) end
local function isSameMessage(entry, first)
  return ${comparisons.join(' and ')}
end
local function addMessage(stream, entryId, first, now)
  redis.call('XADD', stream, entryId, ${fieldsAndValues.join(', ')}, '${storedAtField}', now)
end
`
