import { ConnectionStrip } from '../ui/connection-status.tsx'
import { MessagePanel } from './message-panel.tsx'
import { OnlinePanel } from './online-panel.tsx'
import { SendPanel } from './send-panel.tsx'

export function RoomScreen() {
  return (
    <div className="room">
      <OnlinePanel />
      <div className="sheet flex min-h-0 min-w-0 grow flex-col overflow-clip">
        <ConnectionStrip />
        <MessagePanel />
        <SendPanel />
      </div>
    </div>
  )
}
