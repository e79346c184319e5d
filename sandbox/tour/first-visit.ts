import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Language, languageOf } from './languages/languages.ts';
import { PHASE_NAMES, PHASES, readiness } from './phases.ts';

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
 * world is: it shows what is being done, and gives way to the world on the same port, where the rest is shown.
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
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify(readiness('discord')));
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
    li { opacity: 0.5; }
    li.now { opacity: 1; font-weight: 600; }
    body { align-items: center; background: light-dark(#fff, #313338); color: light-dark(#313338, #dbdee1); display: flex; flex-direction: column; font: 18px system-ui, sans-serif; height: 100dvh; justify-content: center; margin: 0; }
  </style>
</head>
<body>
  <p>${STARTING[language]}</p>
  <ol role="status">${PHASES.map((phase) => `<li${phase === 'discord' ? ' class="now"' : ''}>${PHASE_NAMES[language][phase]}</li>`).join('')}</ol>
  <script>
    const ask = async () => {
      try {
        const { phase } = await (await fetch('/sandbox/ready')).json();
        // What was there before the bot can be looked at while the bot starts and reads it.
        if (phase !== 'discord') return location.reload();
      } catch {}
      setTimeout(ask, 300);
    };
    ask();
  </script>
</body>
</html>`;
}
