import { html, type TemplateResult } from 'lit';
import { post } from '../../page/browser/state/api.ts';
import { moment, nowMs } from '../../page/browser/state/clock.ts';
import { withEmoji } from '../../page/browser/parts/emoji.ts';
import { redraw, state } from '../../page/browser/state/state.ts';
import { either } from '../../page/browser/state/words.ts';
import { titleIn } from '../article/text.ts';
import type { TroubleState } from '../panel-state.ts';
import { lookedAt } from './inspect.ts';
import { outcomeView, pressed, type Text } from './pressed.ts';
import { setTrouble, trouble } from './trouble-switches.ts';

const HOUR_MS = 3_600_000;

let size = 50;
let share = 80;

/** The crowd, the clock, and what can go wrong. */
export function controlsView(): TemplateResult {
  return html`<div class="controls">${clockView()} ${crowdView()} ${troubleView()}</div>`;
}

const add = (addMs: number) => pressed('clock', () => post('clock', { addMs }));

const DIGEST_DUE: Text = [
  'The digest is due. The bot posts it within a minute, if there are articles for it.',
  '到精选发布的时间了。只要有文章，机器人就会在一分钟之内发布。',
];

function clockView(): TemplateResult {
  return html`<section>
    <h3>${either(['Clock', '时钟'])}</h3>
    <p class="big">${moment(nowMs(), 'F')}</p>
    <p class="note">
      ${either(['Moves the sandbox and the bot alike, forward only.', '沙盒和机器人的时间一起前进，只能向前。'])}
    </p>
    <div class="row">
      <button type="button" @click=${add(HOUR_MS)}>${either(['＋ 1 hour', '＋ 1 小时'])}</button>
      <button
        type="button"
        @click=${pressed('clock', () => post('clock', { to: 'digest', guild: state.guild.id }), { done: DIGEST_DUE })}
      >
        ${either(['Next digest', '下一期精选'])}
      </button>
      <button type="button" @click=${add(168 * HOUR_MS)}>${either(['＋ 1 week', '＋ 1 周'])}</button>
    </div>
    ${outcomeView('clock')}
  </section>`;
}

function crowdView(): TemplateResult {
  const article = lookedAt();
  const title = titleIn(article?.content ?? '');
  const vote = pressed('crowd', () =>
    post('crowd', {
      channel: article?.channel_id,
      message: article?.id,
      size,
      share: share / 100,
    }),
  );
  return html`<section>
    <h3>${either(['Crowd', '人群'])}</h3>
    <p>
      ${
        title === null
          ? either(['Point at an article or tap it first.', '请先指向或点一下某篇文章。'])
          : html`<strong>${withEmoji(title)}</strong>`
      }
    </p>
    <label class="slider"
      ><span>${either(['Members who vote at once', '同时投票的人数'])}</span><output>${size}</output>
      <input
        id="crowd-size"
        type="range"
        min="0"
        max="100"
        .value=${String(Math.round((Math.log10(size) * 100) / 3))}
        aria-valuetext=${size}
        @input=${(event: Event) => {
          size = Math.round(10 ** ((Number((event.target as HTMLInputElement).value) * 3) / 100));
          redraw();
        }}
    /></label>
    <label class="slider"
      ><span>${withEmoji(either(['of them 👍', '其中 👍']))}</span><output>${share} %</output>
      <input
        id="crowd-share"
        type="range"
        min="0"
        max="100"
        step="5"
        .value=${String(share)}
        @input=${(event: Event) => {
          share = Number((event.target as HTMLInputElement).value);
          redraw();
        }}
    /></label>
    <button type="button" id="crowd-vote" class="primary" ?disabled=${title === null} @click=${vote}>
      ${either(['Let them vote', '让他们投票'])}
    </button>
    ${outcomeView('crowd')}
  </section>`;
}

function troubleView(): TemplateResult {
  return html`<section>
    <h3>${either(['Trouble', '故障'])}</h3>
    ${switchView(
      'gateway',
      ['Gateway', '网关'],
      [
        ['open', ['connected', '已连接']],
        ['cut', ['cut off', '已切断']],
      ],
    )}
    ${switchView(
      'redis',
      ['Redis', 'Redis'],
      [
        ['there', ['there', '正常']],
        ['away', ['away', '失联']],
      ],
    )}
    ${switchView(
      'api',
      ['API', 'API'],
      [
        ['ok', ['well', '正常']],
        ['slow', ['slow', '缓慢']],
        ['failing', ['failing', '出错']],
      ],
    )}
    <div class="row">
      <button type="button" @click=${pressed('trouble', () => post('trouble/empty-redis'))}>
        ${either(['Empty Redis', '清空 Redis'])}
      </button>
    </div>
    ${outcomeView('trouble')}
    <p class="note">
      ${either([
        'An emptied Redis is rebuilt from the messages within a minute; what no message tells is lost, such as the settings of digests.',
        '清空的 Redis 会在一分钟内从消息重建；消息里没有的东西会丢失，例如精选的设置。',
      ])}
    </p>
  </section>`;
}

function switchView<Name extends keyof TroubleState>(
  name: Name,
  label: readonly [string, string],
  ways: [TroubleState[Name], readonly [string, string]][],
): TemplateResult {
  return html`<div class="switch" role="radiogroup" aria-label=${either(label)}>
    <span>${either(label)}</span>
    ${ways.map(
      ([way, words], at) =>
        html`<button
          type="button"
          role="radio"
          id="${name}-${way}"
          class=${at === 0 ? '' : 'bad'}
          aria-checked=${trouble[name] === way}
          @click=${() => setTrouble({ [name]: way })}
        >
          ${either(words)}
        </button>`,
    )}
  </div>`;
}
