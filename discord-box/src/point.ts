import net from 'node:net';
import tls from 'node:tls';
import { DISCORD_HOSTS } from './discord-hosts.ts';

/**
 * Leads everything that a process says to Discord to the Discord in a box at `DISCORD_API`, whatever its
 * library: `DISCORD_API=http://127.0.0.1:4321/api node --import discord-in-a-box/point bot.js`.
 */
const address = process.env['DISCORD_API'];
if (address === undefined)
  throw new Error('DISCORD_API must be the address of a Discord in a box.');
const { hostname, port } = new URL(address);
const connect = tls.connect;

function connectToBox(...given: unknown[]): tls.TLSSocket {
  const [options] = given as [tls.ConnectionOptions];
  const host = options.servername || options.host;
  if (host === undefined || !DISCORD_HOSTS.test(host))
    return Reflect.apply(connect, tls, given) as tls.TLSSocket;
  const socket = net.connect({ host: hostname, port: Number(port) });
  // Libraries wait for this of a socket that they believe to be encrypted.
  socket.once('connect', () => socket.emit('secureConnect'));
  const heard = given.at(-1);
  if (typeof heard === 'function') socket.once('secureConnect', heard as () => void);
  return Object.assign(socket, { authorized: true, encrypted: true }) as unknown as tls.TLSSocket;
}

tls.connect = connectToBox;
