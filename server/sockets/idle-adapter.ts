import { Adapter } from 'socket.io-adapter'

/** There is one room, and everybody is in it: Socket.IO's own book of rooms per socket is not kept. */
export class IdleAdapter extends Adapter {
  override addAll(): void {}
  override del(): void {}
  override delAll(): void {}
}
