"""Names of one thing that no rule can derive from each other: `Beijing` and 北京, `CO2`
and `carbon dioxide`, `WHO` and `World Health Organization`.

Names that more than one thing often has are left out.
"""

from __future__ import annotations

import re
from functools import cache

_TABLE = """
Monday = Mon = 星期一 = 周一 = 礼拜一; Tuesday = Tue = Tues = 星期二 = 周二 = 礼拜二; Wednesday = Wed =
星期三 = 周三 = 礼拜三; Thursday = Thu = Thurs = 星期四 = 周四 = 礼拜四; Friday = Fri = 星期五 = 周五 = 礼拜五;
Saturday = 星期六 = 周六 = 礼拜六; Sunday = 星期日 = 星期天 = 周日 = 周天; spring = 春天 = 春季; summer = 夏天 =
夏季; autumn = fall = 秋天 = 秋季; winter = 冬天 = 冬季; January = Jan = 一月 = 1月; February = Feb =
二月 = 2月; March = 三月 = 3月; April = Apr = 四月 = 4月; May = 五月 = 5月; June = Jun = 六月 = 6月;
July = Jul = 七月 = 7月; August = Aug = 八月 = 8月; September = Sep = Sept = 九月 = 9月; October
= Oct = 十月 = 10月; November = Nov = 十一月 = 11月; December = Dec = 十二月 = 12月; China = 中国 =
People's Republic of China = PRC = 中华人民共和国; Japan = 日本; United States = USA = U.S. =
America = U.S.A. = United States of America = 美国 = 美利坚合众国; United Kingdom = UK = U.K. =
Great Britain = Britain = 英国 = the U.K. = 联合王国; England = 英格兰; Scotland = 苏格兰; Wales =
威尔士; Ireland = 爱尔兰; France = 法国; Germany = 德国; Italy = 意大利; Spain = 西班牙; Portugal = 葡萄牙;
Greece = 希腊; Austria = 奥地利; Switzerland = 瑞士; Netherlands = Holland = 荷兰; Belgium = 比利时;
Denmark = 丹麦; Sweden = 瑞典; Norway = 挪威; Finland = 芬兰; Iceland = 冰岛; Poland = 波兰; Czech
Republic = Czechia = 捷克 = 捷克共和国; Hungary = 匈牙利; Romania = 罗马尼亚; Bulgaria = 保加利亚; Serbia
= 塞尔维亚; Croatia = 克罗地亚; Ukraine = 乌克兰; Russia = Russian Federation = 俄罗斯 = 俄国; Turkey =
Türkiye = 土耳其; Egypt = 埃及; Soviet Union = USSR = U.S.S.R. = 苏联; Israel = 以色列; Iran = 伊朗;
Iraq = 伊拉克; Saudi Arabia = 沙特阿拉伯 = 沙特; United Arab Emirates = UAE = 阿联酋; Syria = 叙利亚;
Afghanistan = 阿富汗; Pakistan = 巴基斯坦; India = 印度; Bangladesh = 孟加拉国; Sri Lanka = Ceylon =
斯里兰卡; Nepal = 尼泊尔; Bhutan = 不丹; Mongolia = 蒙古 = 蒙古国; Myanmar = Burma = 缅甸; Thailand =
Siam = 泰国; Vietnam = Viet Nam = 越南; Laos = 老挝; Cambodia = 柬埔寨; Malaysia = 马来西亚;
Singapore = 新加坡; Indonesia = 印度尼西亚 = 印尼; Philippines = 菲律宾; South Korea = Republic of
Korea = 韩国 = 大韩民国; North Korea = DPRK = 朝鲜; Taiwan = 台湾; Hong Kong = 香港; Macau = Macao =
澳门; Australia = 澳大利亚 = 澳洲; New Zealand = 新西兰; Canada = 加拿大; Mexico = 墨西哥; Brazil = 巴西;
Argentina = 阿根廷; Chile = 智利; Peru = 秘鲁; Colombia = 哥伦比亚; Venezuela = 委内瑞拉; Cuba = 古巴;
South Africa = 南非; Nigeria = 尼日利亚; Kenya = 肯尼亚; Ethiopia = 埃塞俄比亚; Morocco = 摩洛哥; Algeria
= 阿尔及利亚; Libya = 利比亚; Ghana = 加纳; Ivory Coast = Côte d'Ivoire = 科特迪瓦; Eswatini =
Swaziland; Cape Verde = Cabo Verde; East Timor = Timor-Leste = 东帝汶; Kazakhstan = 哈萨克斯坦;
Uzbekistan = 乌兹别克斯坦; Georgia (country) = Republic of Georgia = 格鲁吉亚 = nation of Georgia
= Georgia in the Caucasus = Georgia, the country; Vatican City = Vatican = 梵蒂冈; DRC =
Democratic Republic of the Congo = Democratic Republic of Congo = 刚果民主共和国; North
Macedonia = Macedonia = 北马其顿; Armenia = 亚美尼亚; Azerbaijan = 阿塞拜疆; Europe = 欧洲; Asia = 亚洲;
Africa = 非洲; North America = 北美洲 = 北美; South America = 南美洲 = 南美; Antarctica = 南极洲;
Oceania = 大洋洲; Jordan = 约旦; Beijing = Peking = 北京 = 北京市; Shanghai = 上海 = 上海市;
Guangzhou = 广州 = 广州市;
Shenzhen = 深圳 = 深圳市; Nanjing = Nanking = 南京 = 南京市; Hangzhou = 杭州 = 杭州市; Chengdu = 成都 =
成都市; Chongqing = Chungking = 重庆 = 重庆市; Tianjin = 天津 = 天津市; Wuhan = 武汉 = 武汉市; Xi'an =
Xian = 西安 = 西安市; Suzhou = 苏州; Lhasa = 拉萨; Harbin = 哈尔滨; Taipei = 台北; Tibet = 西藏;
Xinjiang = 新疆; Inner Mongolia = 内蒙古; Sichuan = Szechuan = 四川 = 四川省; Yunnan = 云南 = 云南省;
Guangdong = 广东 = 广东省; Tokyo = 东京; Kyoto = 京都; Osaka = 大阪; Hiroshima = 广岛; Nagasaki = 长崎;
Seoul = 首尔; Pyongyang = 平壤; Hanoi = 河内; Ho Chi Minh City = Saigon = 胡志明市; Bangkok = 曼谷;
Yangon = Rangoon = 仰光; Kuala Lumpur = 吉隆坡; Jakarta = 雅加达; Manila = 马尼拉; New Delhi = 新德里;
Mumbai = Bombay = 孟买; Kolkata = Calcutta = 加尔各答; Chennai = Madras = 金奈; Bengaluru =
Bangalore = 班加罗尔; Kathmandu = 加德满都; Ulaanbaatar = Ulan Bator = 乌兰巴托; Tehran = Teheran =
德黑兰; Baghdad = 巴格达; Jerusalem = 耶路撒冷; Mecca = Makkah = 麦加; Damascus = 大马士革; Dubai = 迪拜;
Riyadh = 利雅得; Ankara = 安卡拉; Istanbul = Constantinople = 伊斯坦布尔; Cairo = 开罗; Alexandria =
亚历山大; Nairobi = 内罗毕; Cape Town = 开普敦; Johannesburg = 约翰内斯堡; Pretoria = 比勒陀利亚; Addis
Ababa = 亚的斯亚贝巴; Casablanca = 卡萨布兰卡; London = 伦敦; Edinburgh = 爱丁堡; Manchester = 曼彻斯特;
Oxford = 牛津; Cambridge = 剑桥; Liverpool = 利物浦; Dublin = 都柏林; Paris = 巴黎; Lyon = Lyons =
里昂; Marseille = Marseilles = 马赛; Berlin = 柏林; Munich = München = 慕尼黑; Hamburg = 汉堡;
Cologne = Köln = 科隆; Frankfurt = 法兰克福; Nuremberg = Nürnberg = 纽伦堡; Vienna = Wien = 维也纳;
Salzburg = 萨尔茨堡; Zurich = Zürich = 苏黎世; Geneva = Genève = Genf = 日内瓦; Bern = Berne =
伯尔尼; Brussels = Bruxelles = 布鲁塞尔; Amsterdam = 阿姆斯特丹; Copenhagen = København = 哥本哈根; The
Hague = Den Haag = 海牙; Rotterdam = 鹿特丹; Stockholm = 斯德哥尔摩; Oslo = 奥斯陆; Helsinki = 赫尔辛基;
Reykjavik = 雷克雅未克; Warsaw = Warszawa = 华沙; Krakow = Cracow; Prague = Praha = 布拉格;
Budapest = 布达佩斯; Bucharest = 布加勒斯特; Sofia = 索非亚; Belgrade = Beograd = 贝尔格莱德; Athens =
雅典; Sparta = 斯巴达; Rome = Roma = 罗马; Milan = Milano = 米兰; Venice = Venezia = 威尼斯;
Florence = Firenze = 佛罗伦萨; Naples = Napoli = 那不勒斯; Turin = Torino = 都灵; Madrid = 马德里;
Barcelona = 巴塞罗那; Seville = Sevilla = 塞维利亚; Lisbon = Lisboa = 里斯本; Moscow = 莫斯科; Saint
Petersburg = St. Petersburg = St Petersburg = Leningrad = 圣彼得堡; Volgograd = Stalingrad;
Kyiv = Kiev = 基辅; Odesa = Odessa = 敖德萨; Lviv = Lvov; Minsk = 明斯克; Tbilisi = 第比利斯; Astana
= Nur-Sultan = 阿斯塔纳; Tashkent = 塔什干; Washington, D.C. = Washington DC = 华盛顿哥伦比亚特区 =
华盛顿特区 = 华盛顿 = Washington (D.C.) = the District of Columbia = 华府; New York City = New
York, New York = New York, NY = NYC = 纽约市 = 纽约 = City of New York = New York (city) =
New York; Los Angeles = LA = L.A. = 洛杉矶; San Francisco = 旧金山 = 三藩市; Chicago = 芝加哥;
Boston = 波士顿; Seattle = 西雅图; Philadelphia = 费城; Houston = 休斯敦 = 休斯顿; Miami = 迈阿密; Las
Vegas = 拉斯维加斯; Detroit = 底特律; Dallas = 达拉斯; California = 加利福尼亚 = 加利福尼亚州 = 加州; Texas =
得克萨斯 = 得克萨斯州 = 得州 = 德州; Florida = 佛罗里达 = 佛罗里达州; Alaska = 阿拉斯加 = 阿拉斯加州; Hawaii = 夏威夷;
Toronto = 多伦多; Montreal = Montréal = 蒙特利尔; Vancouver = 温哥华; Ottawa = 渥太华; Mexico City =
墨西哥城; Havana = 哈瓦那; Rio de Janeiro = Rio = 里约热内卢; Brasilia = Brasília = 巴西利亚; São Paulo
= 圣保罗; Buenos Aires = 布宜诺斯艾利斯; Santiago = 圣地亚哥; Lima = 利马; Bogota = Bogotá = 波哥大; Sydney
= 悉尼; Melbourne = 墨尔本; Canberra = 堪培拉; Wellington = 惠灵顿; Auckland = 奥克兰; Mount Everest =
Mt. Everest = Everest = Chomolungma = Qomolangma = 珠穆朗玛峰 = 珠峰 = Sagarmatha = 圣母峰 =
埃佛勒斯峰; K2 = 乔戈里峰; Kilimanjaro = Mount Kilimanjaro = 乞力马扎罗山; Mount Fuji = Fuji = Fujiyama
= 富士山; Denali = Mount McKinley; Alps = 阿尔卑斯山; Himalayas = 喜马拉雅山 = 喜马拉雅山脉; Andes = 安第斯山脉;
Rocky Mountains = Rockies = 落基山脉; Uluru = Ayers Rock; Nile = Nile River = River Nile =
尼罗河; Amazon River = Amazon = 亚马逊河 = 亚马孙河; Yangtze = Yangtze River = Yangtse = Chang
Jiang = 长江 = 扬子江; Yellow River = Huang He = 黄河; Mississippi River = Mississippi = 密西西比河;
Danube = 多瑙河; Rhine = 莱茵河; Thames = River Thames = 泰晤士河; Ganges = Ganga = 恒河; Volga =
伏尔加河; Seine = 塞纳河; Mekong = Mekong River = 湄公河; Pacific Ocean = Pacific = 太平洋; Atlantic
Ocean = Atlantic = 大西洋; Indian Ocean = 印度洋; Arctic Ocean = 北冰洋; Mediterranean Sea =
Mediterranean = 地中海; Red Sea = 红海; Black Sea = 黑海; Dead Sea = 死海; Caspian Sea = 里海; Lake
Baikal = 贝加尔湖; Lake Victoria = 维多利亚湖; Sahara = Sahara Desert = 撒哈拉沙漠; Gobi Desert = Gobi
= 戈壁 = 戈壁沙漠; Great Wall of China = Great Wall = 长城 = 万里长城; Forbidden City = 故宫 = 紫禁城;
Eiffel Tower = 埃菲尔铁塔; Taj Mahal = 泰姬陵; Statue of Liberty = 自由女神像; Suez Canal = 苏伊士运河;
Panama Canal = 巴拿马运河; Silk Road = 丝绸之路; Sun = 太阳; Moon = 月球 = 月亮; Earth = 地球; Mars = 火星;
Venus = 金星; Jupiter = 木星; Mercury (planet) = 水星 = Mercury = the planet Mercury = planet
Mercury; Saturn = 土星; Uranus = 天王星; Neptune = 海王星; Pluto = 冥王星; Milky Way = Milky Way
Galaxy = 银河系; Big Bang = Big Bang theory = 宇宙大爆炸; Isaac Newton = Sir Isaac Newton =
Newton = 艾萨克·牛顿 = 牛顿 = 艾萨克·牛顿爵士; Albert Einstein = Einstein = 阿尔伯特·爱因斯坦 = 爱因斯坦; Galileo
Galilei = Galileo = 伽利略; Charles Darwin = Darwin = 查尔斯·达尔文 = 达尔文 = C. R. Darwin =
Charles Robert Darwin; Louis Pasteur = 路易·巴斯德 = 巴斯德; Marie Curie = Madame Curie = Marie
Skłodowska Curie = 玛丽·居里 = 居里夫人 = Maria Skłodowska-Curie = Marie Sklodowska Curie =
Maria Curie = Mme Curie = 玛丽亚·居里 = 玛丽·斯克沃多夫斯卡·居里; Nikola Tesla = 尼古拉·特斯拉 = 特斯拉; Thomas
Edison = Thomas Alva Edison = Edison = 爱迪生 = 托马斯·爱迪生; Alexander Graham Bell = Graham
Bell = 亚历山大·格拉汉姆·贝尔 = 贝尔 = 亚历山大·贝尔; Stephen Hawking = Hawking = 霍金 = 斯蒂芬·霍金; Alan Turing
= Turing = 图灵 = 艾伦·图灵; Leonardo da Vinci = da Vinci = 达芬奇 = 达·芬奇 = 列奥纳多·达·芬奇 = Leonardo
= 列奥纳多·达芬奇; Michelangelo = Michelangelo Buonarroti = 米开朗基罗; Raphael = 拉斐尔; Pablo Picasso
= Picasso = 毕加索 = 巴勃罗·毕加索; Vincent van Gogh = van Gogh = 梵高 = 凡·高 = 文森特·梵高 = 文森特·凡·高 =
Vincent Van Gogh; Claude Monet = Monet = 莫奈 = 克劳德·莫奈; Wolfgang Amadeus Mozart = Mozart =
莫扎特 = W. A. Mozart; Ludwig van Beethoven = Beethoven = 贝多芬 = 路德维希·范·贝多芬; Johann
Sebastian Bach = J. S. Bach = 约翰·塞巴斯蒂安·巴赫; Frédéric Chopin = Chopin = 肖邦 = 弗里德里克·肖邦;
William Shakespeare = Shakespeare = 莎士比亚 = 威廉·莎士比亚 = The Bard = the Bard of Avon;
Charles Dickens = Dickens = 狄更斯 = 查尔斯·狄更斯; Jane Austen = 简·奥斯汀; Mark Twain = Samuel
Clemens = Samuel Langhorne Clemens = 马克·吐温; George Orwell = Orwell = Eric Arthur Blair =
乔治·奥威尔 = 奥威尔; Ernest Hemingway = Hemingway = 海明威 = 欧内斯特·海明威; Leo Tolstoy = Tolstoy = Lev
Tolstoy = 列夫·托尔斯泰 = 托尔斯泰; Victor Hugo = 雨果 = 维克多·雨果; Fyodor Dostoevsky = Dostoevsky =
Dostoyevsky = Fyodor Dostoyevsky = 陀思妥耶夫斯基; Johann Wolfgang von Goethe = Goethe = 歌德;
Dante Alighieri = Dante = 但丁; Homer = 荷马; J. K. Rowling = Rowling = Joanne Rowling =
J.K.罗琳 = J·K·罗琳 = 罗琳; Agatha Christie = 阿加莎·克里斯蒂; J. R. R. Tolkien = Tolkien = 托尔金;
Arthur Conan Doyle = Conan Doyle = 柯南·道尔 = 阿瑟·柯南·道尔; Franz Kafka = Kafka = 卡夫卡 =
弗兰茨·卡夫卡; Gabriel García Márquez = García Márquez = 加西亚·马尔克斯 = 马尔克斯; Miguel de Cervantes
= Cervantes = 塞万提斯; Hans Christian Andersen = 安徒生; Aesop = 伊索; Socrates = 苏格拉底; Plato =
柏拉图; Aristotle = 亚里士多德; Archimedes = 阿基米德; Euclid = 欧几里得 = 欧几里德; Pythagoras = 毕达哥拉斯;
Confucius = Kong Qiu = Kongzi = 孔子; Laozi = Lao Tzu = Lao-tzu = 老子; Sun Tzu = Sunzi =
孙子; Mencius = Mengzi = 孟子; Immanuel Kant = Kant = 康德 = 伊曼努尔·康德; Friedrich Nietzsche =
Nietzsche = 尼采 = 弗里德里希·尼采; Karl Marx = 卡尔·马克思 = 马克思; Sigmund Freud = Freud = 弗洛伊德 =
西格蒙德·弗洛伊德; Adam Smith = 亚当·斯密; René Descartes = Descartes = 笛卡尔 = 勒内·笛卡尔; Voltaire =
伏尔泰; Carl Friedrich Gauss = Gauss = 高斯; Leonhard Euler = Euler = 欧拉 = 莱昂哈德·欧拉; Gottfried
Wilhelm Leibniz = Leibniz = Gottfried Leibniz = 莱布尼茨; Nicolaus Copernicus = Copernicus =
哥白尼 = 尼古拉·哥白尼; Johannes Kepler = Kepler = 开普勒 = 约翰内斯·开普勒; Michael Faraday = Faraday =
法拉第 = 迈克尔·法拉第; Dmitri Mendeleev = Mendeleev = 门捷列夫; Gregor Mendel = Mendel = 孟德尔; Alfred
Nobel = 诺贝尔 = 阿尔弗雷德·诺贝尔; Alexander Fleming = 亚历山大·弗莱明 = 弗莱明; James Watt = 詹姆斯·瓦特 = 瓦特;
Christopher Columbus = Columbus = 哥伦布 = 克里斯托弗·哥伦布; Marco Polo = 马可·波罗; Ferdinand
Magellan = Magellan = 麦哲伦 = 斐迪南·麦哲伦; Neil Armstrong = 尼尔·阿姆斯特朗; Yuri Gagarin = Gagarin =
加加林 = 尤里·加加林; Napoleon Bonaparte = Napoleon = 拿破仑 = Napoleon I = 拿破仑·波拿巴; Julius Caesar
= Gaius Julius Caesar = 凯撒 = 恺撒; Alexander the Great = 亚历山大大帝; Genghis Khan = 成吉思汗 =
Chinggis Khan; Qin Shi Huang = 秦始皇; Cleopatra = Cleopatra VII = 克利奥帕特拉; George
Washington = 乔治·华盛顿; Abraham Lincoln = Lincoln = Abe Lincoln = 林肯 = 亚伯拉罕·林肯; Thomas
Jefferson = 托马斯·杰斐逊; Benjamin Franklin = Ben Franklin = 本杰明·富兰克林; Franklin D. Roosevelt
= Franklin Delano Roosevelt = FDR = 富兰克林·罗斯福; John F. Kennedy = JFK = John Fitzgerald
Kennedy = 约翰·肯尼迪 = John Kennedy = Jack Kennedy = 肯尼迪 = 约翰·F·肯尼迪 = 约翰·费茨杰拉德·肯尼迪; Barack
Obama = Obama = 奥巴马 = 巴拉克·奥巴马; Donald Trump = Trump = 特朗普 = 唐纳德·特朗普; Joe Biden = Joseph
Biden = 拜登 = 乔·拜登; Winston Churchill = Churchill = 丘吉尔 = 温斯顿·丘吉尔; Margaret Thatcher =
Thatcher = 撒切尔夫人; Adolf Hitler = Hitler = 希特勒 = 阿道夫·希特勒; Joseph Stalin = Stalin = 斯大林;
Vladimir Lenin = Lenin = 列宁; Vladimir Putin = Putin = 普京; Mikhail Gorbachev = Gorbachev
= 戈尔巴乔夫; Mahatma Gandhi = Mohandas Gandhi = Mohandas Karamchand Gandhi = 圣雄甘地 = 甘地;
Nelson Mandela = Mandela = 纳尔逊·曼德拉 = 曼德拉; Mother Teresa = 特蕾莎修女; Martin Luther King Jr.
= Martin Luther King = MLK = MLK Jr. = Dr. King = 马丁·路德·金 = Martin Luther King Junior =
小马丁·路德·金; Queen Elizabeth II = Elizabeth II = 伊丽莎白二世 = HM Queen Elizabeth II = Elizabeth
Alexandra Mary Windsor = 伊丽莎白女王二世 = 英国女王伊丽莎白二世 = 英女王伊丽莎白二世; Queen Victoria = 维多利亚女王; Mao
Zedong = Mao Tse-tung = Chairman Mao = 毛泽东; Deng Xiaoping = 邓小平; Zhou Enlai = 周恩来; Sun
Yat-sen = 孙中山 = 孙文 = 孙逸仙; Chiang Kai-shek = Jiang Jieshi = 蒋介石; Li Bai = Li Po = 李白; Du
Fu = Tu Fu = 杜甫; Su Shi = Su Dongpo = 苏轼 = 苏东坡; Lu Xun = 鲁迅 = 周树人; Mo Yan = 莫言; Cao
Xueqin = 曹雪芹; Wu Cheng'en = 吴承恩; Steve Jobs = 史蒂夫·乔布斯 = 乔布斯; Bill Gates = 比尔·盖茨; Elon
Musk = Musk = 马斯克 = 埃隆·马斯克; Mark Zuckerberg = Zuckerberg = 扎克伯格 = 马克·扎克伯格; Warren
Buffett = 巴菲特 = 沃伦·巴菲特; Charlie Chaplin = 查理·卓别林 = 卓别林; Marilyn Monroe = 玛丽莲·梦露; Elvis
Presley = Elvis = 猫王; Lionel Messi = Messi = Leo Messi = 梅西; Cristiano Ronaldo = CR7 =
C罗; Usain Bolt = 博尔特; Yao Ming = 姚明; Kobe Bryant = 科比 = 科比·布莱恩特; Michael Jackson =
迈克尔·杰克逊; The Beatles = Beatles = 披头士 = 披头士乐队; Zeus = 宙斯; Buddha = 佛陀 = 释迦牟尼; Jesus =
Jesus Christ = 耶稣; The Great Gatsby = 了不起的盖茨比 = 伟大的盖茨比; Romeo and Juliet = 罗密欧与朱丽叶 =
Romeo & Juliet = The Tragedy of Romeo and Juliet = 罗密欧和朱丽叶; Hamlet = 哈姆雷特; Macbeth =
麦克白; King Lear = 李尔王; Othello = 奥赛罗; Don Quixote = 堂吉诃德 = 堂·吉诃德; War and Peace = 战争与和平;
Anna Karenina = 安娜·卡列尼娜; Crime and Punishment = 罪与罚; Pride and Prejudice = 傲慢与偏见; Jane
Eyre = 简·爱 = 简爱; Wuthering Heights = 呼啸山庄; Les Misérables = 悲惨世界; One Hundred Years of
Solitude = 百年孤独; Divine Comedy = 神曲; The Old Man and the Sea = 老人与海; Gone with the Wind
= 飘 = 乱世佳人; Odyssey = 奥德赛; Nineteen Eighty-Four = 一九八四 = 1984 = Nineteen Eighty Four;
Animal Farm = 动物农场 = 动物庄园; Bible = Holy Bible = 圣经; Harry Potter = 哈利·波特 = 哈利波特; The
Lord of the Rings = Lord of the Rings = LOTR = 指环王 = 魔戒; The Little Prince = 小王子; Alice
in Wonderland = Alice's Adventures in Wonderland = 爱丽丝梦游仙境; Robinson Crusoe = 鲁滨逊漂流记;
The Hobbit = 霍比特人; Moby-Dick = Moby Dick = 白鲸; Dream of the Red Chamber = 红楼梦 = The
Story of the Stone = A Dream of Red Mansions = 石头记; Journey to the West = 西游记; Romance
of the Three Kingdoms = 三国演义; Water Margin = 水浒传 = Outlaws of the Marsh; The Art of War
= Art of War = 孙子兵法; Analects = Analects of Confucius = 论语; Tao Te Ching = Daodejing =
道德经; Mona Lisa = La Gioconda = 蒙娜丽莎; The Starry Night = Starry Night = 星夜 = 星空; The Last
Supper = Last Supper = 最后的晚餐; Titanic = 泰坦尼克号; Star Wars = 星球大战; The Lion King = 狮子王; On
the Origin of Species = Origin of Species = 物种起源; water = H2O = 水; carbon dioxide = CO2
= 二氧化碳; carbon monoxide = CO = 一氧化碳; ozone = O3 = 臭氧; ammonia = NH3 = 氨 = 氨气; methane =
CH4 = 甲烷; ethanol = C2H5OH = ethyl alcohol = 乙醇; sodium chloride = NaCl = table salt =
氯化钠 = 食盐; hydrochloric acid = HCl = hydrogen chloride = 盐酸 = 氯化氢; sulfuric acid =
sulphuric acid = H2SO4 = 硫酸; nitric acid = HNO3 = 硝酸; acetic acid = CH3COOH = 乙酸 = 醋酸;
carbonic acid = H2CO3 = 碳酸; phosphoric acid = H3PO4 = 磷酸; glucose = C6H12O6 = 葡萄糖;
sodium hydroxide = NaOH = caustic soda = 氢氧化钠 = 烧碱; calcium hydroxide = Ca(OH)2 = slaked
lime = 氢氧化钙 = 熟石灰; calcium carbonate = CaCO3 = 碳酸钙; calcium oxide = CaO = quicklime =
氧化钙 = 生石灰; sodium bicarbonate = sodium hydrogen carbonate = NaHCO3 = baking soda = 碳酸氢钠
= 小苏打; sodium carbonate = Na2CO3 = washing soda = 碳酸钠 = 纯碱; hydrogen peroxide = H2O2 =
过氧化氢 = 双氧水; sulfur dioxide = sulphur dioxide = SO2 = 二氧化硫; sulfur trioxide = SO3 = 三氧化硫;
nitrogen dioxide = NO2 = 二氧化氮; nitric oxide = nitrogen monoxide = NO = 一氧化氮; nitrous
oxide = N2O = 一氧化二氮; iron(III) oxide = ferric oxide = Fe2O3 = 氧化铁 = 三氧化二铁; silicon
dioxide = silica = SiO2 = 二氧化硅; hydrogen sulfide = H2S = 硫化氢; copper sulfate = CuSO4 =
硫酸铜; potassium permanganate = KMnO4 = 高锰酸钾; benzene = C6H6 = 苯; propane = C3H8 = 丙烷;
ethylene = ethene = C2H4 = 乙烯; aluminum oxide = Al2O3 = 氧化铝; helium = 氦 = 氦气; lithium =
锂; carbon = 碳; fluorine = 氟; neon = 氖 = 氖气; sodium = 钠; magnesium = 镁; aluminum =
aluminium = 铝; silicon = 硅; phosphorus = 磷; sulfur = sulphur = 硫; chlorine = 氯 = 氯气;
argon = 氩 = 氩气; potassium = 钾; calcium = 钙; iron = 铁; copper = 铜; zinc = 锌; silver = 银;
tin = 锡; iodine = 碘; gold = 金 = 黄金; mercury (element) = quicksilver = 汞 = 水银; lead
(element) = 铅; uranium = 铀; platinum = 铂; tungsten = wolfram = 钨; diamond = 金刚石 = 钻石;
graphite = 石墨; DNA = deoxyribonucleic acid = 脱氧核糖核酸; RNA = ribonucleic acid = 核糖核酸; ATP
= adenosine triphosphate = 三磷酸腺苷 = 腺苷三磷酸; HIV = human immunodeficiency virus = 人类免疫缺陷病毒;
AIDS = acquired immunodeficiency syndrome = acquired immune deficiency syndrome = 艾滋病;
GDP = gross domestic product = 国内生产总值; GNP = gross national product = 国民生产总值; CPI =
consumer price index = 消费者物价指数 = 居民消费价格指数; IPO = initial public offering = 首次公开募股; CPU =
central processing unit = 中央处理器; GPU = graphics processing unit = 图形处理器; RAM =
random-access memory = random access memory = 随机存取存储器; ROM = read-only memory = 只读存储器;
AI = artificial intelligence = 人工智能; ML = machine learning = 机器学习; LLM = large language
model = 大语言模型; VR = virtual reality = 虚拟现实; NLP = natural language processing = 自然语言处理;
HTTP = Hypertext Transfer Protocol = 超文本传输协议; HTML = Hypertext Markup Language =
超文本标记语言; URL = uniform resource locator = 统一资源定位符; WWW = World Wide Web = 万维网; DNS =
Domain Name System = 域名系统; TCP = Transmission Control Protocol = 传输控制协议; IP = Internet
Protocol = 网际协议; OS = operating system = 操作系统; FTP = File Transfer Protocol = 文件传输协议;
SQL = Structured Query Language = 结构化查询语言; LAN = local area network = 局域网; USB =
Universal Serial Bus = 通用串行总线; GPS = Global Positioning System = 全球定位系统; CSS = Cascading
Style Sheets = 层叠样式表; UN = United Nations = U.N. = 联合国; EU = European Union = 欧盟 = 欧洲联盟;
WHO = World Health Organization = World Health Organisation = 世界卫生组织 = 世卫组织; WTO = World
Trade Organization = 世界贸易组织 = 世贸组织; IMF = International Monetary Fund = 国际货币基金组织; NATO =
North Atlantic Treaty Organization = 北大西洋公约组织 = 北约; NASA = National Aeronautics and
Space Administration = 美国国家航空航天局 = 美国宇航局 = 美国航天局; UNESCO = United Nations Educational,
Scientific and Cultural Organization = 联合国教科文组织; OPEC = Organization of the Petroleum
Exporting Countries = 欧佩克 = 石油输出国组织; UNICEF = United Nations Children's Fund = 联合国儿童基金会;
ASEAN = Association of Southeast Asian Nations = 东盟; IOC = International Olympic
Committee = 国际奥委会; CIA = Central Intelligence Agency = 中央情报局; FBI = Federal Bureau of
Investigation = 联邦调查局; ISS = International Space Station = 国际空间站; FIFA = Fédération
Internationale de Football Association = 国际足联; NBA = National Basketball Association =
美国职业篮球联赛; MIT = Massachusetts Institute of Technology = 麻省理工学院; Harvard University =
Harvard = 哈佛大学; Peking University = PKU = 北京大学 = 北大; Tsinghua University = Tsinghua =
清华大学 = 清华; BBC = British Broadcasting Corporation = 英国广播公司; IBM = International Business
Machines; Apple = Apple Inc. = 苹果公司; Microsoft = 微软; SARS = severe acute respiratory
syndrome = 非典; MRI = magnetic resonance imaging = 磁共振成像 = 核磁共振; UV = ultraviolet = 紫外线;
LED = light-emitting diode = 发光二极管; LCD = liquid-crystal display = liquid crystal
display = 液晶显示器; LHC = Large Hadron Collider = 大型强子对撞机; Pythagorean theorem =
Pythagoras' theorem = Pythagoras's theorem = Pythagoras theorem = 勾股定理 = 毕达哥拉斯定理 =
theorem of Pythagoras = 商高定理 = 毕氏定理; law of cosines = cosine rule = 余弦定理; law of sines =
sine rule = 正弦定理; Fermat's Last Theorem = 费马大定理; theory of relativity = relativity =
相对论; quantum mechanics = 量子力学; special relativity = special theory of relativity =
狭义相对论; general relativity = general theory of relativity = 广义相对论; natural selection =
自然选择; evolution = theory of evolution = 进化论; Newton's first law = law of inertia =
牛顿第一定律 = 惯性定律; gravity = gravitation = 重力 = 引力 = 万有引力; photosynthesis = 光合作用; greenhouse
effect = 温室效应; prime number = 质数 = 素数; inflation = 通货膨胀; even number = 偶数; odd number =
奇数; triangle = 三角形; equilateral triangle = 等边三角形; square = 正方形; rectangle = 长方形 = 矩形;
circle = 圆 = 圆形; proton = 质子; neutron = 中子; electron = 电子; photon = 光子; atom = 原子;
molecule = 分子; heart = 心脏; brain = 大脑; liver = 肝 = 肝脏; skin = 皮肤; mitochondrion =
mitochondria = 线粒体; nucleus = nuclei = cell nucleus = 细胞核; chloroplast = chloroplasts =
叶绿体; ribosome = ribosomes = 核糖体; bacterium = bacteria = 细菌; virus = viruses = 病毒;
chlorophyll = 叶绿素; insulin = 胰岛素; hemoglobin = haemoglobin = 血红蛋白; penicillin = 青霉素;
vertex = vertices = 顶点; axis = axes; fungus = fungi = 真菌; larva = larvae; red = 红色 = 红;
blue = 蓝色 = 蓝; green = 绿色 = 绿; white = 白色 = 白; black = 黑色 = 黑; yellow = 黄色 = 黄; gray =
grey = 灰色; orange (color) = 橙色; purple = 紫色; cat = 猫; dog = 狗; horse = 马; tiger = 老虎 =
虎; whale = 鲸 = 鲸鱼; blue whale = 蓝鲸; cheetah = 猎豹; giant panda = panda = 大熊猫 = 熊猫;
elephant = 大象; English = English language = 英语; Chinese = Chinese language = 汉语 = 中文;
French = 法语; German = 德语; Spanish = 西班牙语; Japanese = 日语; Mandarin = Mandarin Chinese =
普通话; Latin = 拉丁语; football = soccer = 足球; basketball = 篮球; table tennis = ping-pong =
ping pong = 乒乓球; badminton = 羽毛球; tennis = 网球; Olympic Games = Olympics = 奥运会 = 奥林匹克运动会;
World Cup = 世界杯; Spring Festival = Chinese New Year = Lunar New Year = 春节; Mid-Autumn
Festival = 中秋节; Dragon Boat Festival = 端午节; Christmas = Christmas Day = 圣诞节; Tang
dynasty = Tang = 唐朝 = 唐代; Song dynasty = 宋朝 = 宋代; Yuan dynasty = 元朝 = 元代; Ming dynasty =
明朝 = 明代; Qing dynasty = 清朝 = 清代; Han dynasty = 汉朝 = 汉代; Qin dynasty = 秦朝 = 秦代;
Renaissance = 文艺复兴; Industrial Revolution = 工业革命; French Revolution = 法国大革命; Roman
Empire = 罗马帝国; Cold War = 冷战; World War I = First World War = World War One = WWI = WW1
= WW I = the Great War = 第一次世界大战 = 一战; World War II = Second World War = 第二次世界大战 = 二战 =
World War Two = WWII = WW2 = WW II; Opium War = 鸦片战争; American Civil War = 美国南北战争 =
南北战争; left = 左 = 左边; right side = 右边; north = 北 = 北方; south = 南 = 南方; east = 东 = 东方;
west = 西 = 西方; increase = increases = 增加 = 增大 = rises = goes up = grows = increasing =
上升 = 变大 = 升高 = 增长; decrease = decreases = 减少 = 减小 = falls = drops = goes down = declines
= decreasing = 下降 = 变小 = 降低; undefined = not defined = 未定义 = 无定义; no solution = no
solutions = 无解 = ∅ = empty set = 空集; does not exist = DNE = 不存在; infinity = ∞ = \\infty
= 无穷大 = 无穷 = infinite = positive infinity = 正无穷 = 正无穷大 = unbounded = inf; pi = π = \\pi
= 圆周率; zero = 0 = 零; infinitely many = infinitely many solutions = 无穷多 = 无数个 = 无数;
acceleration = 加速度; force = 力; energy = 能量; speed of light = 光速; democracy = 民主; Beyoncé
= Beyoncé Knowles; hydrogen = hydrogen gas = H2 = 氢 = 氢气; nitrogen = nitrogen gas = N2 =
氮 = 氮气; oxygen = oxygen gas = O2 = 氧 = 氧气; George H. W. Bush = George Herbert Walker
Bush = George Bush Sr. = Bush senior = Bush Sr. = 老布什 = 乔治·H·W·布什 = 乔治·赫伯特·沃克·布什; George
W. Bush = George Walker Bush = 小布什 = 乔治·W·布什; Ca2+ = calcium ion = calcium cation = 钙离子;
Na+ = sodium ion = 钠离子; H+ = hydrogen ion = 氢离子; OH- = hydroxide ion = hydroxide = 氢氧根 =
氢氧根离子; Cl- = chloride ion = chloride = 氯离子; NH4+ = ammonium ion = ammonium = 铵根离子;
SO4^2- = sulfate ion = sulfate = 硫酸根 = 硫酸根离子; CO3^2- = carbonate ion = carbonate = 碳酸根 =
碳酸根离子; Cambridge, Massachusetts = Cambridge, MA = Cambridge, Mass. = Cambridge
(Massachusetts) = 马萨诸塞州剑桥; Birmingham, England = Birmingham, UK = Birmingham (England) =
英国伯明翰 = Birmingham, United Kingdom; Birmingham = 伯明翰; stays the same = remains the same
= unchanged = does not change = remains constant = 不变 = 保持不变; Henry VIII = 亨利八世 = King
Henry VIII; Louis XIV = 路易十四 = Sun King; Virginia Woolf = 弗吉尼亚·伍尔夫; Stonehenge = 巨石阵;
Colosseum = 斗兽场 = 罗马斗兽场; Great Barrier Reef = 大堡礁; Niagara Falls = 尼亚加拉瀑布; Tower of
London = 伦敦塔; Big Ben = 大本钟; Sydney Opera House = 悉尼歌剧院; speed = velocity magnitude =
速率; velocity = 速度; mass = 质量; temperature = 温度; pressure = 压强 = 压力; volume = 体积; density
= 密度; power = 功率; work = 功; frequency = 频率; voltage = 电压; current = electric current =
电流; resistance = electrical resistance = 电阻; Ohm's law = 欧姆定律; derivative = 导数; integral
= 积分; matrix = 矩阵; vector = 向量; probability = 概率; mean = average = 平均数 = 平均值; median =
中位数; mode = 众数; variance = 方差; standard deviation = 标准差; hypotenuse = 斜边; parallelogram
= 平行四边形; trapezoid = trapezium = 梯形; rhombus = 菱形; osmosis = 渗透 = 渗透作用; mitosis = 有丝分裂;
meiosis = 减数分裂; enzyme = 酶; protein = 蛋白质; gene = 基因; cell = 细胞; respiration = 呼吸作用;
evaporation = 蒸发; condensation = 凝结; sublimation = 升华; combustion = 燃烧; oxidation = 氧化;
acid = 酸; base = alkali = 碱; salt = 盐; catalyst = 催化剂; supply and demand = 供求 = 供给与需求;
monopoly = 垄断; constitution = 宪法; republic = 共和国; monarchy = 君主制; 1960s = sixties = '60s
= 60s = 上世纪60年代 = 上世纪六十年代 = 60年代 = 六十年代; 1970s = seventies = '70s = 70s = 上世纪70年代 =
上世纪七十年代 = 70年代 = 七十年代; 1980s = eighties = '80s = 80s = 上世纪80年代 = 上世纪八十年代 = 80年代 = 八十年代;
1990s = nineties = '90s = 90s = 上世纪90年代 = 上世纪九十年代 = 90年代 = 九十年代; CEO = chief executive
officer = chief executive = 首席执行官; CFO = chief financial officer = 首席财务官; CTO = chief
technology officer = 首席技术官; mammal = mammals = Mammalia = 哺乳动物; reptile = reptiles =
爬行动物; amphibian = amphibians = 两栖动物; does not hold = 不成立; Ada Lovelace = Countess of
Lovelace = Lady Lovelace = 阿达·洛芙莱斯 = 艾达·洛夫莱斯; Charlotte Brontë = Charlotte Bronte =
Currer Bell = 夏洛蒂·勃朗特; Emily Brontë = Emily Bronte = Ellis Bell = 艾米莉·勃朗特
"""


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for group in _TABLE.replace("\n", " ").split(";"):
        names = tuple(name.strip() for name in group.split(" = "))
        groups |= {_key(name): names for name in names}
    return groups


def _key(name: str) -> str:
    """`CO` is not `Co`, so only names with three small letters are folded."""
    bare = name.strip(" .。《》\"'“”").removeprefix("the ").removeprefix("The ")
    return bare.casefold() if re.search("[a-z]{3}", bare) else bare


def other_names(name: str) -> tuple[str, ...]:
    """The names to look for in a sentence: none that is a part of the given one, which
    `Dickens` is of `Charles Dickens`.
    """
    return tuple(
        aliase
        for aliase in aliases(name)
        if not re.search(rf"\b{re.escape(aliase)}\b", name)
    )


def aliases(name: str) -> tuple[str, ...]:
    """All names of what a name names; nothing for an unknown name."""
    return _groups().get(_key(name), ()) if len(name) < 100 else ()
