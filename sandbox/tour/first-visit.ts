import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Language, languageOf } from './languages/languages.ts';

export type FirstVisit = {
  address: string;
  /** The language of the first browser that came. It waits at this address for the sandbox. */
  language: Promise<Language>;
  stop(): Promise<void>;
};

const STARTING: Record<Language, string> = {
  'en-US': 'The sandbox is starting…',
  de: 'Die Sandbox startet …',
  'es-ES': 'El sandbox está arrancando…',
  fr: 'Le bac à sable démarre…',
  ja: 'サンドボックスを起動しています…',
  'pt-BR': 'O sandbox está iniciando…',
  'zh-CN': '沙盒正在启动…',
};

/**
 * A new world speaks the language of the browser that looks at it first. So its page is there before the
 * world is: it says that the sandbox is starting, and gives way to it on the same port.
 * A port of 0 takes a free one. Rejects where the port is taken.
 */
export async function awaitFirstVisit(port: number): Promise<FirstVisit> {
  const server = createServer();
  const language = new Promise<Language>((resolve) => {
    server.on('request', (request, response) => {
      const path = request.url?.split('?')[0] ?? '/';
      if (path === '/sandbox/ready' || path === '/sandbox/community') return notYet(response);
      if (path !== '/') return void response.writeHead(404).end();
      const wished = languageOf(request.headers['accept-language']);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(pageIn(wished), () => resolve(wished));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    language,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function notYet(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ready":false}');
}

function pageIn(language: Language): string {
  return `<!doctype html>
<html lang="${language}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Frontpage</title>
  <style>
    :root { color-scheme: light dark; }
    body { align-items: center; background: light-dark(#fff, #313338); color: light-dark(#313338, #dbdee1); display: flex; font: 18px system-ui, sans-serif; height: 100dvh; justify-content: center; margin: 0; }
  </style>
</head>
<body>
  <p role="status">${STARTING[language]}</p>
  <script>
    const ask = async () => {
      try {
        const { ready } = await (await fetch('/sandbox/ready')).json();
        if (ready) return location.reload();
      } catch {}
      setTimeout(ask, 300);
    };
    ask();
  </script>
</body>
</html>`;
}
