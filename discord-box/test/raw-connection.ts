import { WebSocket } from 'ws';
import type { Discord } from '../src/index.ts';

type Payload = { op: number; t: string | null; s: number | null; d: Record<string, unknown> };

/** A connection to the gateway without a client: it sends what it is told, and keeps what it hears. */
export type RawConnection = {
  heard: Payload[];
  send(op: number, d: unknown): void;
  sendText(text: string): void;
  identify(intents: number, more?: object): void;
  /** Waits for an event, also one that came before. */
  event(name: string, fits?: (d: Payload['d']) => boolean): Promise<Payload['d']>;
  /** Waits for a payload with this opcode. */
  payload(op: number): Promise<Payload>;
  /** The code with which Discord closes it. */
  closed: Promise<number>;
  /** Cuts it, so that its session can be resumed. */
  cut(): void;
};

export async function connectRaw(
  discord: Pick<Discord, 'address' | 'token' | 'until'>,
  query = 'v=10&encoding=json',
): Promise<RawConnection> {
  const socket = new WebSocket(`${discord.address.replace('http', 'ws')}/?${query}`);
  const heard: Payload[] = [];
  socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as Payload));
  const closed = new Promise<number>((resolve) => {
    socket.on('close', resolve);
  });
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  const sendText = (text: string) => socket.send(text);
  const send = (op: number, d: unknown) => sendText(JSON.stringify({ op, d }));
  return {
    heard,
    send,
    sendText,
    identify: (intents, more) =>
      send(2, { token: discord.token, intents, properties: {}, ...more }),
    event: async (name, fits = () => true) => {
      const wanted = () => heard.find(({ t, d }) => t === name && fits(d));
      return (await discord.until(wanted, name)).d;
    },
    payload: (op) => discord.until(() => heard.find((one) => one.op === op), `opcode ${op}`),
    closed,
    cut: () => socket.terminate(),
  };
}
