import type { RankingName } from '../keys.ts';

/** Where an order is offered, and how its list is made. */
type OrderFacts = {
  /** The ranking in Redis that has this order, and from which end; null: the list is made when it is read. */
  ranking: { by: RankingName; from: 'desc' | 'asc' } | null;
  /** The page on the web and the feeds offer it. `/top` and the board's buttons can show any order. */
  isOnWeb: boolean;
  /** A single group has this order. The others are for the whole guild. */
  isOfGroups: boolean;
  /** It takes a period, whose articles are walked at each reading: a reader is limited in it, as in a search. */
  hasPeriod: boolean;
  /** All articles are in it, so that an empty list says that there are none. */
  hasAll: boolean;
};

/**
 * Every order of lists, in the order in which they are offered; each has a text `top.order.<order>`. All
 * places read them from here, and a new one does not compile until each of them is answered.
 */
const orders = {
  score: {
    ranking: { by: 'score', from: 'desc' },
    isOnWeb: true,
    isOfGroups: true,
    hasPeriod: false,
    hasAll: true,
  },
  'score-asc': {
    ranking: { by: 'score', from: 'asc' },
    isOnWeb: false,
    isOfGroups: true,
    hasPeriod: false,
    hasAll: true,
  },
  time: {
    ranking: { by: 'time', from: 'desc' },
    isOnWeb: true,
    isOfGroups: true,
    hasPeriod: false,
    hasAll: true,
  },
  'time-asc': {
    ranking: { by: 'time', from: 'asc' },
    isOnWeb: false,
    isOfGroups: true,
    hasPeriod: false,
    hasAll: true,
  },
  interesting: {
    ranking: null,
    isOnWeb: true,
    isOfGroups: true,
    hasPeriod: false,
    hasAll: false,
  },
  front: { ranking: null, isOnWeb: true, isOfGroups: false, hasPeriod: false, hasAll: true },
  votes: { ranking: null, isOnWeb: true, isOfGroups: true, hasPeriod: true, hasAll: true },
} as const satisfies Record<string, OrderFacts>;

type Orders = typeof orders;
export type Order = keyof Orders;
type OrdersWhere<Facts> = { [O in Order]: Orders[O] extends Facts ? O : never }[Order];

export const ORDERS = Object.keys(orders) as [Order, ...Order[]];

/** The orders in which Redis keeps a guild's and each group's articles. */
export type RankedOrder = Exclude<Order, OrdersWhere<{ ranking: null }>>;

export function isRanked(order: Order): order is RankedOrder {
  return orders[order].ranking !== null;
}

/** The ranking of an order that Redis keeps. */
export function rankingOf(order: RankedOrder): NonNullable<OrderFacts['ranking']> {
  return orders[order].ranking;
}

export type WebOrder = OrdersWhere<{ isOnWeb: true }>;
export const WEB_ORDERS = ORDERS.filter((order) => orders[order].isOnWeb) as [
  WebOrder,
  ...WebOrder[],
];

export function isOfGroups(order: Order): boolean {
  return orders[order].isOfGroups;
}

export function hasPeriod(order: Order): boolean {
  return orders[order].hasPeriod;
}

export function hasAll(order: Order): boolean {
  return orders[order].hasAll;
}
