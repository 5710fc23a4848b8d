from . import sync as sync
from .engines.api import batch as batch
from .engines.api import load as load
from .engines.api import resume as resume
from .engines.debate.api import debate as debate
from .engines.grade.api import grade as grade
from .engines.models.port import ModelError as ModelError
from .engines.rag.api import ask as ask
from .engines.rank.api import rank as rank
from .engines.relevance.api import relevance as relevance
from .engines.solo.api import solo as solo
from .sessions.errors import BadInput as BadInput
from .sessions.session import Session as Session

__version__: str
