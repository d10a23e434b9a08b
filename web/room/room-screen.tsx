import { ConnectionBanner } from '../shell/connection-state.tsx'
import { MessagePanel } from './list/message-panel.tsx'
import { OnlinePanel } from './online/online-panel.tsx'
import { SendPanel } from './composer/send-panel.tsx'

export function RoomScreen() {
  return (
    <div className="room">
      <OnlinePanel />
      <div className="sheet">
        <ConnectionBanner />
        <MessagePanel />
        <SendPanel />
      </div>
    </div>
  )
}
