const clicks =
  'fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid li_fat_id rb_clickid ' +
  'irclickid irgwc cjevent zanpid awc epik wickedid dicbo tblci srsltid _openstat gad_source';
const campaigns =
  'mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok vero_id vero_conv ' +
  'oly_anon_id oly_enc_id ml_subscriber ml_subscriber_hash nr_email_referer bxid cndid __s s_cid ' +
  'cmpid ns_campaign ns_mchannel ns_source ns_linkname ns_fee at_medium at_campaign at_custom1 ' +
  'at_custom2 at_custom3 at_custom4 wt_mc wtrid sr_share soc_src soc_trk trk trkcampaign ' +
  'trackingid ocid smid cmp';
const sharing =
  '_ga _gl _gac _branch_match_id _branch_referrer igshid igsh si ref_src ref_url guccounter ' +
  '__twitter_impression guce_referrer guce_referrer_sig usqp amp_js_v amp_gsa amp_ct mibextid ' +
  'spm spm_id_from from_spmid vd_source scm share_source share_medium share_plat share_tag ' +
  'share_session_id share_times share_from unique_k bbid xhsshare shareredid apptime from_source ' +
  'phpsessid';

/** Parameters that identify the reader's source, not the page. In lower case. */
const everywhere = new Set([clicks, campaigns, sharing].join(' ').split(' '));

const prefixes = /^(?:utm|mtm|matomo|pk|piwik|hsa|itm)_/;

/** Whether a query parameter is part of a page's identity. */
export function tellsPagesApart(name: string): boolean {
  const lower = name.toLowerCase();
  return !everywhere.has(lower) && !prefixes.test(lower);
}
