import { locale } from './state.ts';

/** The page's own texts: [English, 中文]. */
const WORDS = {
  sandbox: ['sandbox', '沙盒'],
  acting: ['Acting as', '当前身份'],
  admin: ['admin', '管理员'],
  moderator: ['moderator', '版主'],
  member: ['member', '成员'],
  language: ['中文', 'English'],
  languageLabel: ['用中文 (switch to Chinese)', 'Use English（切换到英文）'],
  theme: ['Dark or light', '深色或浅色'],
  online: ['Bot online', '机器人在线'],
  offline: ['Bot offline', '机器人离线'],
  channels: ['Channels', '频道'],
  openChannels: ['Show the channels', '显示频道'],
  skip: ['Skip to the message field', '跳到输入框'],
  close: ['Close', '关闭'],
  direct: ['Direct messages', '私信'],
  archived: ['archived', '已归档'],
  newPost: ['New post', '发新帖'],
  postTitle: ['Title', '标题'],
  postText: ['What to write', '正文'],
  messages: ['Messages', '消息'],
  placeholder: ['Message {channel}, or / for commands', '在 {channel} 说点什么，或输入 / 使用命令'],
  send: ['Send', '发送'],
  commands: ['Commands', '命令'],
  noCommand: ['No such command', '没有这个命令'],
  onlyInServer: [
    'No such command here. Most work only in a channel of the server.',
    '这里没有这个命令。多数命令只能在服务器的频道里使用。',
  ],
  run: ['Run', '执行'],
  cancel: ['Cancel', '取消'],
  submit: ['Submit', '提交'],
  more: ['＋ {n} optional', '＋ {n} 个选填项'],
  yes: ['True', '是'],
  no: ['False', '否'],
  waiting: ['Waiting for the bot…', '正在等待机器人…'],
  failed: ['The application did not respond.', '应用未响应。'],
  choose: ['Choose', '选择'],
  chooseHere: ['Make a selection', '请选择'],
  onlyYou: ['Only you can see this', '仅你可见'],
  dismiss: ['Dismiss message', '忽略消息'],
  edited: ['(edited)', '（已编辑）'],
  thinking: ['is thinking…', '正在思考…'],
  actions: ['What you can do with this message', '对此消息的操作'],
  reactWith: ['React with {emoji}', '用 {emoji} 添加反应'],
  reactions: ['{n} reactions', '{n} 个反应'],
  apps: ['Apps', '应用'],
  copyLink: ['Copy message link', '复制消息链接'],
  copied: ['The link is copied.', '链接已复制。'],
  startThread: ['Start a thread', '创建子区'],
  threadName: ['Name of the thread', '子区名称'],
  used: ['used', '使用了'],
  threadMessage: ['{n} message', '{n} 条消息'],
  threadMessages: ['{n} messages', '{n} 条消息'],
  toParent: ['Back to {channel}', '回到 {channel}'],
  removeEmbeds: ['Remove all embeds', '移除所有嵌入'],
  delete: ['Delete', '删除'],
  empty: ['Nothing has been said here yet.', '这里还没有消息。'],
  unknownPart: ['(a component that this page does not show)', '（此页面不显示的组件）'],
  lost: ['The sandbox is not running. Start it again.', '沙盒未运行，请重新启动。'],
} satisfies Record<string, readonly [string, string]>;

type Word = keyof typeof WORDS;

export function isChinese(): boolean {
  return locale().startsWith('zh');
}

/** The text in the chosen language. */
export function either([english, chinese]: readonly [string, string]): string {
  return isChinese() ? chinese : english;
}

export function say(word: Word, values: Record<string, string | number> = {}): string {
  return either(WORDS[word]).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
