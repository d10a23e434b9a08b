import type { RoomRules } from './moderation.ts'

/** Texts of the rules of the room for users, in the page and in the rejection of a message. */
export const ruleTexts: Readonly<Record<keyof RoomRules, (rules: RoomRules) => string>> = {
  readOnly: () => 'The room is read-only at the moment.',
  accountsOnly: () => 'Only registered users can write. Log in or register first.',
  linksOff: () => 'Links are not allowed in this room.',
  slowModeSeconds: ({ slowModeSeconds }) =>
    `Slow mode: one message every ${slowModeSeconds === 1 ? 'second' : `${slowModeSeconds} seconds`}.`,
}
