/** Text that takes the place of a removed message. */
export const removedText = 'message removed'
