import { createContext, useContext } from 'react'
import type { RoomConnection } from './room-connection.ts'

const RoomConnectionContext = createContext<RoomConnection | null>(null)

export const RoomConnectionProvider = RoomConnectionContext.Provider

export function useRoomConnection(): RoomConnection {
  const connection = useContext(RoomConnectionContext)
  if (connection === null) throw new Error('useRoomConnection is called outside a RoomConnectionProvider')
  return connection
}
