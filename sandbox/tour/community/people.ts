import type { Random } from '../../discord/world/random.ts';

export type NewPerson = { username: string; globalName: string; locale?: string };

/** The community that everyone meets first. */
const USUAL: NewPerson[] = [
  { username: 'ada', globalName: 'Ada Moreau' },
  { username: 'linwei', globalName: '林薇', locale: 'zh-CN' },
  { username: 'grace', globalName: 'Grace Okafor' },
  { username: 'wangmin', globalName: '王敏', locale: 'zh-CN' },
  { username: 'tomas', globalName: 'Tomás Rivera' },
  { username: 'chenyu', globalName: '陈宇', locale: 'zh-CN' },
  { username: 'priya', globalName: 'Priya Nair' },
  { username: 'zhaolei', globalName: '赵磊', locale: 'zh-CN' },
  { username: 'noor', globalName: 'Noor Haddad' },
  { username: 'sunyue', globalName: '孙悦', locale: 'zh-CN' },
  { username: 'emil', globalName: 'Emil Jansson' },
  { username: 'joana', globalName: 'Joana Silva' },
];

const OTHERS: NewPerson[] = [
  { username: 'yuki', globalName: 'Yuki Tanaka' },
  { username: 'liuyang', globalName: '刘洋', locale: 'zh-CN' },
  { username: 'marta', globalName: 'Marta Kowalska' },
  { username: 'huangjing', globalName: '黄静', locale: 'zh-CN' },
  { username: 'kofi', globalName: 'Kofi Mensah' },
  { username: 'xuhao', globalName: '徐浩', locale: 'zh-CN' },
  { username: 'ingrid', globalName: 'Ingrid Dahl' },
  { username: 'mateo', globalName: 'Mateo Ruiz' },
  { username: 'leila', globalName: 'Leila Farahani' },
  { username: 'gaofei', globalName: '高飞', locale: 'zh-CN' },
  { username: 'owen', globalName: 'Owen Price' },
  { username: 'samira', globalName: 'Samira Khan' },
];

const GUILDS = ['Lighthouse', 'Orchard', 'Observatory', 'Workshop', 'Riverside', 'Greenhouse'];
export const USUAL_SEED = 1;

/** A dozen people and their server's name: the usual ones, or others for another seed. */
export function choosePeople(seed: number, random: Random): { name: string; people: NewPerson[] } {
  if (seed === USUAL_SEED) return { name: 'Harbour', people: USUAL };
  const left = [...USUAL, ...OTHERS];
  const people = USUAL.map(() => left.splice(random.below(left.length), 1)).flat();
  return { name: random.pick(GUILDS), people };
}
