import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { get, read } from '../../page/browser/state/api.ts';
import { moment } from '../../page/browser/state/clock.ts';
import { channelOf, type Message, redraw, state } from '../../page/browser/state/state.ts';
import { hear } from '../../page/browser/stream.ts';
import { either } from '../../page/browser/state/words.ts';
import { titleIn } from '../article/text.ts';
import type { Look } from '../panel-state.ts';

type Asked = {
  key: number;
  atMs: number;
  method: string;
  route: string;
  status: number;
  tookMs: number;
};

const LOOK_EVERY_MS = 700;
const KEPT = 200;
/** The newest requests; those before them are folded. */
const SHOWN = 5;

let look: Look | null = null;
let asked: Asked[] = [];
let count = 0;
let wanted = false;
let last: Message | undefined;

hear('request', (request: Omit<Asked, 'key'>) => {
  count += 1;
  asked = [{ ...request, key: count }, ...asked].slice(0, KEPT);
});

/** The article under the cursor, or the last that was. */
export function lookedAt(): Message | undefined {
  const message = state.messages.get(state.looked);
  const isArticle = message?.author.id === state.botId && titleIn(message.content) !== null;
  if (isArticle) last = message;
  return last;
}

export async function readRequests(): Promise<void> {
  const { recent } = await read<{ recent: Omit<Asked, 'key'>[] }>('requests');
  asked = recent
    .slice(-KEPT)
    .map((request, at) => ({ ...request, key: at - KEPT }))
    .toReversed();
  redraw();
}

export function wantInspection(wish: boolean): void {
  wanted = wish;
  void lookAgain();
}

async function lookAgain(): Promise<void> {
  const article = lookedAt();
  if (!wanted || article === undefined || document.hidden) return;
  look = await get<Look>(`ranking/${state.guild.id}/${article.id}`).catch(() => ({
    status: 'away' as const,
  }));
  redraw();
}
setInterval(() => void lookAgain(), LOOK_EVERY_MS);

/** What Redis holds for an article, and what the bot asked of the API. */
export function inspectView(): TemplateResult {
  const rows = together(asked);
  return html`<section>
      <h3>${either(['In Redis', 'Redis 里'])}</h3>
      ${redisView()}
    </section>
    <section>
      <h3>${either(['What the bot just asked of the API', '机器人刚刚的 API 请求'])}</h3>
      ${asked.length === 0 ? html`<p class="note">${either(['Nothing yet.', '还没有请求。'])}</p>` : requestsView(rows.slice(0, SHOWN))}
      ${
        rows.length > SHOWN
          ? html`<details>
              <summary>${either(['Earlier requests', '更早的请求'])}</summary>
              ${requestsView(rows.slice(SHOWN))}
            </details>`
          : nothing
      }
    </section>`;
}

function redisView(): TemplateResult {
  const title = titleIn(lookedAt()?.content ?? '');
  if (title === null || look === null) {
    return html`<p class="note">
      ${either(['Point at an article or tap it: this shows what Redis holds for it.', '指向或点一下某篇文章，这里会显示 Redis 为它保存的内容。'])}
    </p>`;
  }
  if (look.status !== 'found') {
    return html`<p><strong>${title}</strong></p>
      <p class="note">
        ${either(
          look.status === 'away'
            ? ['Redis does not answer.', 'Redis 没有应答。']
            : ['Redis holds nothing for it.', 'Redis 里没有它的数据。'],
        )}
      </p>`;
  }
  const { article } = look;
  const state = article.closed ? either(['closed', '已截止']) : moment(article.closesAtMs, 'R');
  const facts: [readonly [string, string], string | TemplateResult][] = [
    [['score', '得分'], article.score.toLocaleString('en')],
    [
      ['votes', '票数'],
      html`<span class="up">▲ ${article.up}</span> <span class="down">▼ ${article.down}</span>`,
    ],
    [
      ['rank', '名次'],
      article.rank === null
        ? either(['not in the server’s lists', '不在服务器列表中'])
        : either([
            `${article.rank} of ${article.of}`,
            `共 ${article.of} 篇，第 ${article.rank} 名`,
          ]),
    ],
    [['closes', '截止'], state],
    [['channels', '频道'], article.groups.map((id) => `#${channelOf(id)?.name ?? '?'}`).join(' ')],
    ...(article.interesting
      ? [[['interesting', '有趣'], '★'] as [readonly [string, string], string]]
      : []),
  ];
  return html`<p class="looked"><strong>${article.title}</strong></p>
    <dl id="redis">
      ${facts.map(([name, value]) => html`<dt>${either(name)}</dt><dd>${value}</dd>`)}
    </dl>
    <code class="ask">ZREVRANK ${article.keys.score} ${article.id}</code>`;
}

/** The same request several times in a row is one line. */
function together(requests: Asked[]): (Asked & { times: number })[] {
  const rows: (Asked & { times: number })[] = [];
  for (const request of requests) {
    const last = rows.at(-1);
    const { method, route, status } = request;
    if (last?.method === method && last.route === route && last.status === status) last.times += 1;
    else rows.push({ ...request, times: 1 });
  }
  return rows;
}

function requestsView(rows: (Asked & { times: number })[]): TemplateResult {
  return html`<table class="asked">
    <tbody>
      ${repeat(rows, ({ key }) => key, requestView)}
    </tbody>
  </table>`;
}

function requestView(request: Asked & { times: number }): TemplateResult {
  const { method, route, status, tookMs, times } = request;
  return html`<tr class=${status >= 400 ? 'bad' : nothing}>
    <td>${method}</td>
    <td>
      ${route.split('/').map((part, at) => (at === 0 ? part : html`/<wbr />${part}`))}
      ${times > 1 ? html`<strong>× ${times}</strong>` : nothing}
    </td>
    <td>${status}</td>
    <td>${tookMs} ms</td>
  </tr>`;
}
