"""What the json and rpc modes speak: their records as classes, and those as lines of JSON and back.

The server's side and the client's are written against these classes alone.
"""
