type NewPerson = { username: string; globalName: string; locale?: string };

/** The first is the admin, the second the moderator. */
export const PEOPLE: NewPerson[] = [
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
