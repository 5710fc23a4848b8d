"""The words that `lexical` looks for in a case: signs of common charges and of legal
points. Written for this project.

The entry of a charge has words of the facts, because a case to judge often does not
name its charge. `|` separates cues.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Cues(NamedTuple):
    """The cues of one language."""

    charges: Mapping[str, tuple[str, ...]]
    """Charge to the words of facts that point to it."""
    legal: Mapping[str, tuple[str, ...]]
    """Legal question to the words that indicate it."""
    material: Mapping[str, re.Pattern[str]]
    """Patterns of what a material fact describes; each that a sentence matches adds to
    its weight.
    """
    empty: re.Pattern[str]
    """A sentence about the procedure or the evidence, which is no fact of the case."""
    secondary: frozenset[str]
    """Those of `legal` that are circumstances of sentencing."""


def _listed(lines: str) -> dict[str, tuple[str, ...]]:
    named = (line.partition(":") for line in lines.strip().splitlines())
    return {
        name.strip(): tuple(cue.strip() for cue in cues.split("|"))
        for name, _, cues in named
    }


_ZH_CHARGES = """
盗窃: 盗窃|秘密窃取|窃取|窃得|盗走|偷走|偷得|被盗|扒窃|撬锁|撬开|撬门|入户盗|趁无人|趁人不备|销赃|盗取|行窃|作案工具
抢劫: 抢劫|劫取|劫得|持刀威胁|当场劫|洗劫|捆绑|强行搜身|威逼|交出钱|以暴力|蒙面|抵住|刀架|按倒|刀尖|捂住|威胁其交出
抢夺: 抢夺|夺走|夺过|飞车抢|扯下|拽走|扯断|趁其不备|夺下|公然夺取|猛拽|抓起|拔腿
诈骗: 诈骗|骗取|骗得|谎称|虚构|冒充|被骗|行骗|隐瞒真相|假冒|信以为真|刷单|汇款
合同诈骗: 合同诈骗|签订合同|虚假合同|租赁合同|购销合同|履行合同|无履行能力|预付款
信用卡诈骗: 信用卡|透支|催收|冒用他人|恶意透支|发卡银行
集资诈骗: 集资诈骗|非法集资|高额回报|挥霍|资金链断裂|集资款
非法吸收公众存款: 非法吸收公众存款|吸收公众存款|吸收存款|公开宣传|承诺还本付息|不特定|高息|理财产品|投资人|集资参与人
贷款诈骗: 贷款诈骗|骗取贷款|虚假资料
保险诈骗: 保险诈骗|保险金|理赔|投保|保险公司|虚构保险事故
敲诈勒索: 敲诈勒索|敲诈|勒索|要挟|举报相威胁|曝光|封口费|赔偿款为由|索要|不给钱|举报|碰瓷
绑架: 绑架|赎金|勒索财物|人质
非法拘禁: 非法拘禁|拘禁|限制人身自由|关押|不让离开|索债|讨债|非法剥夺|不许离开|轮流看守|反锁|不准离开
故意伤害: 故意伤害|殴打|打伤|捅伤|砍伤|轻伤|重伤|拳打脚踢|互殴|打击|捅刺|厮打|伤情鉴定|拳头|推倒|挥拳
故意杀人: 故意杀人|杀害|杀死|掐死|勒死|砍死|捅死|毒死|当场死亡|杀人
过失致人死亡: 过失致人死亡|过失|疏忽大意|致人死亡|摔倒后死亡|应当预见
过失致人重伤: 过失致人重伤|过失致人|误伤|走火
强奸: 强奸|强行发生性关系|奸淫|性关系|发生关系|违背妇女意志|灌醉|不满十四周岁
猥亵: 猥亵|抚摸|隐私部位|亲吻|强制猥亵|侮辱妇女
拐卖妇女、儿童: 拐卖|贩卖儿童|贩卖妇女|收买|拐骗|婴儿
寻衅滋事: 寻衅滋事|随意殴打|起哄闹事|无故|逞强|任意损毁|强拿硬要|滋事|追逐|拦截|无端|酒后滋事|路人
聚众斗殴: 聚众斗殴|斗殴|约架|纠集|双方持械|对打|械斗
妨害公务: 妨害公务|执行公务|辅警|袭警|推搡民警|执勤|暴力抗拒|阻碍执行|阻碍执法|踢踹民警|咬伤民警|执法记录仪|盘查
赌博: 赌博|聚众赌博|赌资|抽头|打麻将|押注
开设赌场: 开设赌场|赌场|赌博网站|赌博机|抽水|下注|百家乐|投注|庄家|赌客|抽取|输赢|盘口|赌桌
危险驾驶: 危险驾驶|醉酒驾驶|醉驾|酒后驾|血液中乙醇|乙醇含量|酒精含量|毫克/100|呼气|饮酒后|追逐竞驶|呼气酒精|代驾
交通肇事: 交通肇事|交通事故|肇事|逃离现场|事故认定|主要责任|全部责任|相撞|逃逸|抢救无效|交警部门认定|道路交通事故
以危险方法危害公共安全: 危险方法|公共安全|冲撞|人群|不特定多数人|抢夺方向盘|方向盘|高空抛物|窨井盖
放火: 放火|纵火|点燃|点火|汽油|打火机
失火: 失火|起火|火灾|烧荒|过火面积
贩卖毒品: 贩卖毒品|毒品|冰毒|海洛因|甲基苯丙胺|吸毒人员|氯胺酮|净重|毒资|麻古|贩毒|运输毒品|毒品交易
非法持有毒品: 非法持有毒品|持有毒品|查获毒品|身上查获|住处查获|毒品疑似物
容留他人吸毒: 容留|吸食毒品|吸毒|吸食|冰壶
非法持有枪支: 枪支|气枪|火药|猎枪|铅弹|子弹|持枪|弹药|射钉枪
组织、引诱、容留卖淫: 卖淫|嫖娼|嫖客|招嫖|卖淫女|按摩|会所
传播淫秽物品: 淫秽|色情|视频链接|黄色
受贿: 受贿|贿赂|职务便利|为他人谋取利益|收受|好处费|贿|感谢费|回扣|关照|请托|财物折合|退还前
行贿: 行贿|谋取不正当利益|给予|送给|行贿款|请托
贪污: 贪污|国家工作人员|公款|套取|侵吞|虚报|骗取专项资金|村干部|骗取补贴
挪用公款: 挪用公款|挪用|归个人使用|营利活动|公款
职务侵占: 职务侵占|公司财物|据为己有|职务上的便利|占为己有|业务员|非法占有公司|仓库管理|收银|出纳|库管|店长
挪用资金: 挪用资金|单位资金|本单位资金|公司资金|挪用
滥用职权: 滥用职权|玩忽职守|徇私舞弊|不认真履行职责
拒不支付劳动报酬: 劳动报酬|拖欠工资|农民工|逃匿|拖欠|限期支付指令书|限期改正指令书|欠薪|人社局|人力资源和社会保障局
拒不执行判决、裁定: 拒不执行|执行通知|强制执行|转移财产
伪造、买卖印章证件: 印章|私刻|假证|变造|毕业证|制作假|假公章|伪造公章|伪造证件|刻章
虚开发票: 虚开|增值税专用发票|发票|税款|抵扣|开票|价税合计
假冒注册商标: 注册商标|假冒|商标|侵权|品牌|商标所有人
生产、销售伪劣产品: 伪劣|以次充好|掺杂|假烟|卷烟|产品质量
生产、销售有毒、有害食品: 有毒|有害|保健品|罂粟|西布曲明|食用|添加剂
生产、销售假药: 假药|药品|批准文号|药监
非法经营: 非法经营|未经许可|经营许可|烟草专卖|许可证|无证经营|支付结算
非法行医: 行医|诊所|诊疗|医师资格|执业许可|注射
组织、领导传销: 传销|下线|层级|返利|发展会员|入门费
掩饰、隐瞒犯罪所得: 犯罪所得|掩饰|赃物|收购|明知是盗窃|帮助转移|转移赃款|低价收购
帮助信息网络犯罪: 信息网络犯罪|提供银行卡|出租银行卡|帮助信息|跑分|电话卡
故意毁坏财物: 毁坏|砸毁|砸坏|损毁|打砸|毁财|划伤车
破坏生产经营: 破坏生产经营|生产经营|泄愤
非法侵入住宅: 侵入住宅|强行进入|闯入|住宅
窝藏、包庇: 窝藏|包庇|顶替|提供住处|隐藏处所|作假证明|顶罪
伪证、妨害作证: 伪证|妨害作证|作伪证|虚假证言|指使他人作伪证|虚假陈述
非法狩猎、捕捞: 狩猎|捕捞|禁渔|电鱼|禁猎|渔获物|野生动物|猎捕|鸟|电捕
滥伐、盗伐林木: 滥伐|盗伐|林木|采伐|立木蓄积|砍伐|林业|树木
非法采矿: 采矿|采砂|开采|矿产|挖沙|非法采|矿石
非法占用农用地: 农用地|耕地|林地|占用|土地|种植条件
污染环境: 污染|废水|排放|危险废物|倾倒|重金属
非法种植毒品原植物: 罂粟|种植|原植物|铲除|植株
重大责任事故: 责任事故|安全生产|坍塌|违章|安全管理|坠落
重婚: 重婚|配偶|夫妻名义|登记结婚|婚姻关系
虐待、遗弃: 虐待|遗弃|打骂|冻饿|赡养|抚养
侵犯公民个人信息: 个人信息|公民信息|信息条|出售信息|手机号码
破坏计算机信息系统: 计算机信息系统|黑客|木马|非法控制|删除数据|外挂
侮辱、诽谤: 侮辱|诽谤|捏造|名誉|辱骂|散布
招摇撞骗: 招摇撞骗|冒充军人|冒充警察|冒充国家机关|冒充公安
脱逃、破坏监管秩序: 脱逃|监狱
"""

_ZH_LEGAL = """
故意: 故意|明知|预谋|事先|商议|蓄意|合谋|意图|企图|放任
非法占有目的: 非法占有|据为己有|占为己有|挥霍|用于个人|归还欠款|还债
过失: 过失|疏忽|过于自信|应当预见|轻信|未尽|意外
动机: 因琐事|纠纷|报复|泄愤|为谋取|牟利|为了|积怨|不满|讨债|索债|怀恨|出于|赌博欠|起因
被害人过错: 被害人有过错|被害人过错|过错|先动手|挑衅|辱骂|先行|自身责任|同等责任|次要责任|激化
因果关系: 致使|导致|造成|因果|致其|致被害人|系因|死因|引起|抢救无效|直接
手段方式: 暴力|胁迫|威胁|秘密|趁|虚构|隐瞒|持刀|持械|欺骗|利用职务|强行
入户或特殊场所: 入户|侵入|公共场所|公共交通|住宅|户内
共同犯罪: 伙同|共同|结伙|纠集|分工|指使|主犯|从犯|同案|共犯|作用较小|次要作用
未遂或中止: 未遂|未得逞|中止|放弃|被当场抓获|预备|意志以外
自首: 自首|投案|主动报警|主动到案|在现场等候|电话通知到案
坦白认罪: 如实供述|供认|坦白|认罪|承认|自愿认罪|悔罪|认罚
拒不认罪: 拒不认罪|拒不供述|否认|零口供|翻供|辩称
立功: 立功|检举|揭发|协助抓获
累犯前科: 累犯|前科|曾因|刑满释放|再犯|有期徒刑|缓刑考验|惯犯|劣迹|多次
退赔谅解: 赔偿|谅解|退赃|退赔|退还|返还|和解|追回|发还
逃避责任: 逃逸|逃离|逃跑|潜逃|销毁|藏匿|隐匿|躲避
责任能力: 精神病|精神障碍|刑事责任能力|未成年|未满|已满十六|已满十四|聋哑|怀孕
正当防卫与避险: 防卫|正当防卫|不法侵害|紧急避险|制止
特殊身份: 国家工作人员|职务便利|职务上的便利|工作人员|法定代表人|负责人|身份
数额情节: 数额较大|数额巨大|特别巨大|情节严重|情节恶劣|情节轻微|后果
伤害后果: 轻微伤|轻伤|重伤|死亡|伤残|残疾
"""

_ZH_MATERIAL = {
    "person": re.compile(
        r"某|被告人|被害人|受害人|被告|犯罪嫌疑人|同案|其妻|其子|死者|事主|失主"
    ),
    "time": re.compile(
        r"\d{1,4}\s?年|\d{1,2}\s?月\d{1,2}\s?日|\d{1,2}\s?时|凌晨|当晚|次日|上午"
        r"|下午|期间|同年|当日"
    ),
    "place": re.compile(
        r"[市县区镇乡村街路][^，。；]{0,12}|家中|门口|室内|车内|酒店|宾馆|超市|商"
        r"店|公司|住处|小区|路段|工地|银行|网吧|办公室"
    ),
    "amount": re.compile(
        r"[\d.,，]+\s?(?:余|多)?(?:万|千|百|亿)?(?:余|多)?(?:元|美元|港币|克|千克"
        r"|公斤|吨|株|支|亩|立方米|毫克)|价值|现金|数额"
    ),
    "injury": re.compile(
        r"轻微伤|轻伤|重伤|死亡|骨折|受伤|致伤|流血|伤情|烧伤|破裂|抢救无效|残疾|昏迷"
    ),
    "thing": re.compile(
        r"手机|电动车|摩托车|汽车|轿车|货车|刀|棍|枪|毒品|冰毒|首饰|项链|电脑|车辆"
        r"|合同|发票|银行卡|信用卡|钢管|砖|钱包|款"
    ),
    "deed": re.compile(
        r"盗|窃|偷|抢|骗|夺|打|殴|捅|砍|刺|踢|杀|撞|驾驶|贩卖|出售|销售|购买|收取"
        r"|收受|索要|威胁|殴打|拘禁|伪造|虚构|谎称|冒充|转账|签订|挪用|侵吞|赌|放"
        r"火|点燃|砸|强奸|猥亵|勒索|捆|"
        r"携带|持有|运输|制造|生产|种植|砍伐|排放|逃|拒|介绍|容留|组织|虚开|吸收"
        r"|隐瞒|拿走|取走|翻|撬"
    ),
}
_ZH_EMPTY = re.compile(
    r"上述事实|以上事实|证据证实|予以证实|足以认定|供述和辩解|证人证言|受案登记|立"
    r"案决定|户籍|抓获经过|鉴定意见书|勘验|辨认笔录|公诉机关|检察院指控|提请本院"
    r"|依法判处|辩护人|"
    r"本院认为|触犯|应当以.{2,20}罪追究|无异议|依法惩处|开庭审理|起诉书|量刑建议"
    r"|当庭|书证|物证|指控的事实|质证|委托代理人"
)

_EN_CHARGES = """
theft: theft|stole|stolen|steal|shoplift|pickpocket|larceny|took without\
|without paying|appropriat
robbery: robbery|robbed|at knifepoint|at gunpoint|hand over|demanded money|held up\
|mugged
burglary: burglary|broke into|break into|forced the|trespasser|entered the house\
|jemmied|through a window
fraud: fraud|deceiv|false representation|pretend|dishonestly|scam|misrepresent|swindl\
|bogus|forged cheque|investors
assault: assault|punched|kicked|struck|beat|bodily harm|slapped|headbutt|bruis|fractur
wounding: wound|stabbed|slashed|grievous|knife|glassed|scar
murder: murder|killed|intent to kill|strangl|shot dead|fatal|stabbed to death
manslaughter: manslaughter|gross negligence|unlawful act|recklessly caused|died|death
sexual assault: sexual|rape|consent|intercourse|indecent|groped
kidnapping: kidnap|false imprisonment|detained|abduct|ransom|locked in
blackmail: blackmail|menaces|extort|threatened to publish|unless he paid|unless she paid
dangerous driving: dangerous driving|careless driving|speeding|collision|overtook\
|mobile phone while driving|pedestrian|drove
drink driving: drunk|breath test|alcohol|over the limit|intoxicated|milligrams
drug supply: drug|cocaine|heroin|cannabis|supply|dealer|methamphetamine|wraps
arson: arson|set fire|petrol|ignit|burned down
criminal damage: criminal damage|smashed|vandal|destroyed|damaged|graffiti
handling stolen goods: handling|receiving stolen|knowing it to be stolen|fenced
bribery: bribe|kickback|inducement|improper payment|corrupt
embezzlement: embezzl|misappropriat|breach of trust|company funds|bookkeeper|diverted
money laundering: launder|proceeds of crime|conceal
perverting justice: perverting|false statement|perjury|intimidat|destroyed evidence
public order: affray|riot|violent disorder|threatening behaviour|brawl
obstructing police: resist|obstruct|police officer in the execution|constable
weapons: firearm|offensive weapon|shotgun|pistol|ammunition
"""

_EN_LEGAL = """
intent: intent|intend|deliberate|knowing|planned|premeditat|purpose|conspir
recklessness: reckless|foresaw|risk
negligence: negligen|careless|duty of care|failed to|should have
dishonesty: dishonest|without permission|without authority|believed he was entitled
motive: motive|revenge|jealous|debt|quarrel|dispute|out of|grudge|for profit
fault of the victim: provok|victim started|contributory|fault of the victim\
|attacked first|insult
causation: caused|causation|as a result|resulted in|intervening|because of|led to\
|died of
force or threats: force|threat|violence|knife|weapon|menac
secrecy or deception: secretly|unnoticed|deceiv|pretend|false|lied|disguis
entry: entered|trespass|broke into|dwelling
acting together: accomplice|together with|joint|co-defendant|aided|abett|lookout|conspir
attempt: attempt|did not succeed|abandon|failed in
self-defence: self-defence|self-defense|defend|duress|necessity|reasonable force
consent: consent|agreed to
admission: confess|admitted|pleaded guilty|plea of guilty|gave himself up\
|gave herself up|surrender|cooperat
denial: denied|not guilty|claimed that
previous convictions: previous convictions|previously convicted|reoffend|on licence\
|on bail|no previous|good character
amends: repaid|compensat|apologi|remorse|returned the|restitution
flight: fled|ran away|absconded|hid|failed to stop
capacity: insan|mental disorder|diminished|aged 1|juvenile|youth
position of trust: trust|employee|director|official|public office|carer
"""

_EN_MATERIAL = {
    "person": re.compile(
        r"\b(?:defendant|victim|accused|complainant|appellant|respondent|Mr|Mrs|Ms"
        r"|[Hh]e|[Ss]he|[Tt]hey)\b|\b[A-Z]\b\.?"
    ),
    "time": re.compile(
        r"\b(?:1[89]|20)\d\d\b|\bp\.?m\b|\ba\.?m\b|\b(?:night|morning|evening"
        r"|afternoon|o'clock|weeks?|months?|days? later)\b",
        re.I,
    ),
    "place": re.compile(
        r"\b(?:street|road|house|home|flat|shop|store|bar|pub|car park|station"
        r"|office|bank|park|garage|warehouse|hotel)\b",
        re.I,
    ),
    "amount": re.compile(
        r"[$\u00a3\u20ac]\s?\d|\b\d[\d,.]*\s?(?:dollars|pounds|euros|grams|kg"
        r"|kilograms|mph|miles)\b|\bworth\b|\bvalue",
        re.I,
    ),
    "injury": re.compile(
        r"\b(?:injur|wound|fractur|bruis|died|death|killed|unconscious|bleed"
        r"|broken|stitches|scar)\w*",
        re.I,
    ),
    "thing": re.compile(
        r"\b(?:knife|gun|phone|car|van|cash|wallet|handbag|jewell?ery|drugs|cheque"
        r"|card|laptop|bottle|bat)\b",
        re.I,
    ),
    "deed": re.compile(
        r"\b(?:took|stole|hit|struck|punched|kicked|stabbed|shot|drove|sold|bought"
        r"|threatened|entered|broke|lied|told|transferred|forged|paid|"
        r"demanded|grabbed|snatched|pushed|set fire|fled|ran|carried|hid|deceived"
        r"|claimed|pretended|killed|locked)\b",
        re.I,
    ),
}
_EN_EMPTY = re.compile(
    r"\b(?:the court (?:held|heard|found)|exhibit|counsel|prosecution (?:submits"
    r"|case)|witness statements?|indictment|sentenced to)\b",
    re.I,
)

CUES = {
    "zh": Cues(
        _listed(_ZH_CHARGES),
        _listed(_ZH_LEGAL),
        _ZH_MATERIAL,
        _ZH_EMPTY,
        frozenset(["自首", "坦白认罪", "拒不认罪", "立功", "累犯前科", "退赔谅解"]),
    ),
    "en": Cues(
        _listed(_EN_CHARGES),
        _listed(_EN_LEGAL),
        _EN_MATERIAL,
        _EN_EMPTY,
        frozenset({"admission", "denial", "previous convictions", "amends"}),
    ),
}
"""Language to its cues."""
